import CPUKernels
import Graphs
import Planning
import Tensors

/// CumSum and CumProd of float32, along an axis that is part of the network.
struct RunningFoldLowering: Lowering {
    let name = "running-fold"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let fold = request.operation as? any RunningFold else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        guard input.elementType == .float32, input.elementCount > 0 else { return .decline("not float32, or empty") }
        guard let number = try? request.constants[1]?.scalar("axis"),
            let axis = try? Axes.resolve(number, rank: input.rank)
        else { return .decline("the axis is computed at run time") }
        let columns = ColumnLoop(input.shape, axis: axis)
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost, multiplyAddsPerMicrosecond: 1_000, threads: request.threadCount),
                inputLayouts: [.rowMajor, nil], outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false
            ) { operands in
                RunningFoldStep(
                    input: try operands.input(0), output: operands.outputs[0], columns: columns, order: fold.order,
                    isProduct: request.operation is CumProd)
            })
    }
}

private struct RunningFoldStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let columns: ColumnLoop
        let isProduct, isExclusive, isReverse: Bool
    }

    let input, output: Operand
    let columns: ColumnLoop
    let order: RunningOrder
    let isProduct: Bool

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), columns: columns,
            isProduct: isProduct, isExclusive: order.isExclusive, isReverse: order.isReverse)
        context.workers.run(columns.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let piece = it.columns.piece(index)
            apus_run_fold(
                it.isProduct ? 1 : 0, it.isExclusive ? 1 : 0, it.isReverse ? 1 : 0, it.input + piece.start,
                it.columns.inner, it.columns.length, piece.count, it.output + piece.start)
        }
    }
}
