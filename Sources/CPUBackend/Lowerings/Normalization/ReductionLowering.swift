import CPUKernels
import Graphs
import Planning

/// Means, sums, norms and extrema over adjacent axes.
struct ReductionLowering: Lowering {
    let name = "reduction"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard let reduction = request.operation as? any Reduction, let input = request.inputs[0] else {
            return .decline("not a reduction")
        }
        let kind: apus_reduction_kind
        switch request.operation {
        case is ReduceMean, is ReduceSum: kind = APUS_REDUCTION_SUM
        case is ReduceL1: kind = APUS_REDUCTION_SUM_OF_MAGNITUDES
        case is ReduceSumSquare: kind = APUS_REDUCTION_SUM_OF_SQUARES
        case is ReduceL2: kind = APUS_REDUCTION_NORM
        case is ReduceMax: kind = APUS_REDUCTION_MAX
        case is ReduceMin: kind = APUS_REDUCTION_MIN
        default: return .decline("not a mean, sum, norm, maximum or minimum")
        }
        guard input.elementType == .float32, input.elementCount > 0 else { return .decline("not float32, or empty") }
        guard let axes = try? reduction.axes.resolved(request.inputs), let first = axes.first, let last = axes.last,
            axes.count == last - first + 1
        else { return .decline("no axes are reduced, or they are not adjacent") }
        let length = input.shape[first...last].reduce(1, *)
        let inner = input.shape[(last + 1)...].reduce(1, *)
        let cost = Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.rowMajor] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false
            ) { operands in
                ReductionStep(
                    input: try operands.input(0), output: operands.outputs[0], kind: kind,
                    factor: request.operation is ReduceMean ? 1 / Float(length) : 1,
                    outer: input.elementCount / length / inner, length: length, inner: inner)
            })
    }
}

private struct ReductionStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let kind: apus_reduction_kind
        let factor: Float
        let length: Int
        let inner: Int
        let blockCount: Int
    }

    let input: Operand
    let output: Operand
    let kind: apus_reduction_kind
    let factor: Float
    let outer: Int
    let length: Int
    let inner: Int

    /// The number of results that one piece of work computes.
    private static let block = 128

    func run(_ context: StepContext) {
        let blockCount = (inner + Self.block - 1) / Self.block
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), kind: kind, factor: factor,
            length: length, inner: inner, blockCount: blockCount)
        context.workers.run(outer * blockCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (row, block) = index.quotientAndRemainder(dividingBy: it.blockCount)
            let first = block * ReductionStep.block
            apus_reduce(
                it.kind, it.factor, it.input + row * it.length * it.inner + first, it.inner, it.length,
                min(ReductionStep.block, it.inner - first), it.output + row * it.inner + first)
        }
    }
}
