import CPUKernels
import Graphs
import Planning

/// Splits a value. Outputs that the planner placed inside the input stay there; the others are copied.
struct SplitLowering: Lowering {
    let name = "in-place-split"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let split = request.operation as? Split else { return .otherOperator }
        guard let input = request.inputs[0], request.constants[0] == nil else {
            return .decline("the input is part of the network")
        }
        guard input.rank <= StridedLoop.maximumRank else { return .decline("more than 8 axes") }
        guard input.elementCount > 0, request.outputs.allSatisfy({ $0.elementCount > 0 }) else {
            return .decline("a value is empty")
        }
        let axis = split.axis < 0 ? split.axis + input.rank : split.axis
        let layout = request.inputLayouts[0] ?? .rowMajor
        // Outputs lie inside the input only along the channels of channels-last values, whose kernels support strided
        // pixels.
        let isInPlace = axis == 1 && input.rank == 4 && layout == .channelsLast
        return .accept(
            Candidate(
                microseconds: 1 + Double(isInPlace ? 0 : input.byteCount) / 5_000, inputLayouts: [layout],
                outputLayouts: [layout], sharing: isInPlace ? .split(axis: axis) : nil,
                bfloat16Operands: .alike([0])
            ) { operands in
                let input = try operands.input(0)
                var start = 0
                var copies: [CopyStep] = []
                for output in operands.outputs {
                    let part = input.slice(axis: axis, start: start, count: output.shape[axis])
                    start += output.shape[axis]
                    if output.isSameMemory(as: part) { continue }
                    copies.append(CopyStep(pass: try ElementwisePass(part, nil, output)))
                }
                return CopiesStep(copies: copies)
            })
    }
}
