import CPUKernels
import Graphs
import Planning

/// Concatenates inputs. Inputs that the planner placed inside the output are there already; the others are copied.
struct ConcatLowering: Lowering {
    let name = "in-place-concat"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let concat = request.operation as? Concat else { return .otherOperator }
        let output = request.outputs[0]
        guard output.rank <= StridedLoop.maximumRank else { return .decline("more than 8 axes") }
        guard output.elementCount > 0 else { return .decline("a value is empty") }
        let axis = concat.axis < 0 ? concat.axis + output.rank : concat.axis
        let layout = request.prevailingLayout
        // Inputs lie inside the output only along the channels of channels-last values, whose kernels support strided
        // pixels.
        let isInPlace = axis == 1 && output.rank == 4 && layout == .channelsLast
        return .accept(
            Candidate(
                microseconds: 1 + Double(isInPlace ? 0 : output.byteCount) / 5_000,
                inputLayouts: request.inputs.map { _ in layout }, outputLayouts: [layout],
                sharing: isInPlace ? .concatenation(axis: axis) : nil,
                bfloat16Operands: .alike(Set(request.inputs.indices))
            ) { operands in
                let output = operands.outputs[0]
                var start = 0
                var copies: [CopyStep] = []
                for case let input? in try operands.allInputs() {
                    let part = output.slice(axis: axis, start: start, count: input.shape[axis])
                    start += input.shape[axis]
                    if input.elementCount == 0 || input.isSameMemory(as: part) { continue }
                    copies.append(CopyStep(pass: try ElementwisePass(input, nil, part)))
                }
                return CopiesStep(copies: copies)
            })
    }
}
