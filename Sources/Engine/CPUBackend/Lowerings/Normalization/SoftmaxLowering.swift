import CPUKernels
import Graphs
import Planning

/// Softmax along one axis; every position of the other axes is a piece of work.
struct SoftmaxLowering: Lowering {
    let name = "softmax"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let softmax = request.operation as? Softmax else { return .otherOperator }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        let shape = request.outputs[0].shape
        guard let first = try? softmax.resolvedAxis(rank: shape.count), first < shape.count else {
            return .decline("no such axis")
        }
        // Axes that are normalised together count as one when all but one of them have extent 1.
        let axes = softmax.flattensTrailingAxes ? first..<shape.count : first..<first + 1
        let long = axes.filter { shape[$0] > 1 }
        guard long.count <= 1 else { return .decline("\(long.count) axes are normalised together") }
        let axis = long.first ?? first
        // Columns far apart take several times as long as rows, and more than copies to the other layout and back.
        let layout = axis == shape.count - 1 ? .rowMajor : request.prevailingLayout
        let cost = 1 + Double(request.outputs[0].elementCount) / 200 / Double(request.threadCount)
        return .accept(
            Candidate(microseconds: cost, inputLayouts: [layout], outputLayouts: [layout]) { operands in
                let (input, output) = (try operands.input(0), operands.outputs[0])
                var (outerInput, outerOutput) = (input, output)
                outerInput.shape[axis] = 1
                outerOutput.shape[axis] = 1
                let pass = try ElementwisePass(outerInput, nil, outerOutput, elementsPerPosition: shape[axis])
                return SoftmaxStep(
                    pass: pass, count: shape[axis], inputStride: input.strides[axis],
                    outputStride: output.strides[axis])
            })
    }
}

private struct SoftmaxStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let rowLength: Int
        let inputRowStride: Int
        let outputRowStride: Int
        var loop: StridedLoop
        let count: Int
        let inputStride: Int
        let outputStride: Int
    }

    /// A loop over the positions that are normalised separately.
    let pass: ElementwisePass
    let count: Int
    let inputStride: Int
    let outputStride: Int

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(pass.a), output: context.mutableFloats(pass.output),
            rowLength: pass.loop.innerExtent, inputRowStride: pass.loop.innerStrides.a,
            outputRowStride: pass.loop.innerStrides.output, loop: pass.loop, count: count, inputStride: inputStride,
            outputStride: outputStride)
        context.workers.run(pass.loop.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            for row in it.loop.rows(index) {
                let start = it.loop.position(ofRow: row)
                for index in 0..<it.rowLength {
                    apus_softmax(
                        it.input + start.a + index * it.inputRowStride, it.inputStride, it.count,
                        it.output + start.output + index * it.outputRowStride, it.outputStride)
                }
            }
        }
    }
}
