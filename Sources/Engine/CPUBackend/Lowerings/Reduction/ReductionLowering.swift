import CPUKernels
import Graphs
import Planning

/// Means, sums, products, norms and extrema over adjacent axes, and those of whole channels.
struct ReductionLowering: Lowering {
    let name = "reduction"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        guard let function = ReductionStep.Function(request.operation) else {
            return .otherOperator
        }
        guard input.elementType == .float32, input.elementCount > 0 else { return .decline("not float32, or empty") }
        let extents: ReductionStep.Extents
        var layout = Layout.rowMajor
        switch request.operation {
        case let reduction as any Reduction:
            guard let axes = try? reduction.axes.resolved(request.inputs), let first = axes.first,
                let last = axes.last, axes.count == last - first + 1
            else { return .decline("no axes are reduced, or they are not adjacent") }
            extents = ReductionStep.Extents(input.shape, reducing: first...last)
        case is GlobalAveragePool where input.rank == 4: return .decline("images have a kernel of their own")
        default:
            guard input.rank > 2 else { return .decline("nothing is reduced") }
            layout = .channelsLast
            let length = input.shape[2...].reduce(1, *)
            extents = ReductionStep.Extents(outer: input.shape[0], length: length, inner: input.shape[1])
        }
        let cost = Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [layout] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [layout], readsSlices: false, writesSlices: false
            ) { operands in
                ReductionStep(
                    input: try operands.input(0), output: operands.outputs[0], function: function, extents: extents)
            })
    }
}

private struct ReductionStep: Step {
    /// What is computed of the elements that become one.
    enum Function: BitwiseCopyable, Sendable {
        case fold(apus_reduction_kind, isMean: Bool)
        case logSumExp

        init?(_ operation: any Operator) {
            switch operation {
            case is ReduceMean, is GlobalAveragePool: self = .fold(APUS_REDUCTION_SUM, isMean: true)
            case is ReduceSum: self = .fold(APUS_REDUCTION_SUM, isMean: false)
            case is ReduceL1: self = .fold(APUS_REDUCTION_SUM_OF_MAGNITUDES, isMean: false)
            case is ReduceSumSquare: self = .fold(APUS_REDUCTION_SUM_OF_SQUARES, isMean: false)
            case is ReduceL2: self = .fold(APUS_REDUCTION_NORM, isMean: false)
            case is ReduceMax, is GlobalMaxPool: self = .fold(APUS_REDUCTION_MAX, isMean: false)
            case is ReduceMin: self = .fold(APUS_REDUCTION_MIN, isMean: false)
            case is ReduceProd: self = .fold(APUS_REDUCTION_PRODUCT, isMean: false)
            case is ReduceLogSum: self = .fold(APUS_REDUCTION_LOG_SUM, isMean: false)
            case is ReduceLogSumExp: self = .logSumExp
            default: return nil
            }
        }
    }

    /// A dense array as rows of `inner` adjacent elements, of which `length` become one, `outer` times.
    struct Extents: BitwiseCopyable, Sendable {
        let outer, length, inner: Int

        init(outer: Int, length: Int, inner: Int) { (self.outer, self.length, self.inner) = (outer, length, inner) }

        init(_ shape: [Int], reducing axes: ClosedRange<Int>) {
            outer = shape[..<axes.lowerBound].reduce(1, *)
            length = shape[axes].reduce(1, *)
            inner = shape[(axes.upperBound + 1)...].reduce(1, *)
        }
    }

    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let function: Function
        let extents: Extents
        let blockCount: Int
        /// The results of a piece of work that reduces rows of adjacent elements.
        let rowsPerPiece: Int
    }

    let input: Operand
    let output: Operand
    let function: Function
    let extents: Extents

    /// The number of results that one piece of work computes, unless it reduces rows of adjacent elements.
    private static let block = 128
    /// The number of elements of a piece of work that reduces rows of adjacent elements.
    private static let elementsPerPiece = 4096

    func run(_ context: StepContext) {
        let blockCount = (extents.inner + Self.block - 1) / Self.block
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), function: function, extents: extents,
            blockCount: blockCount, rowsPerPiece: max(1, Self.elementsPerPiece / extents.length))
        if extents.inner == 1 { return runRows(arguments, context) }
        context.workers.run(extents.outer * blockCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (length, inner) = (it.extents.length, it.extents.inner)
            let (row, block) = index.quotientAndRemainder(dividingBy: it.blockCount)
            let first = block * ReductionStep.block
            let (input, output) = (it.input + row * length * inner + first, it.output + row * inner + first)
            let count = min(ReductionStep.block, inner - first)
            it.function.reduce(input, stride: inner, length: length, count: count, into: output)
        }
    }

    private func runRows(_ arguments: Arguments, _ context: StepContext) {
        let rows = arguments.rowsPerPiece
        context.workers.run((extents.outer + rows - 1) / rows, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (length, first) = (it.extents.length, index * it.rowsPerPiece)
            it.function.reduce(
                it.input + first * length, stride: 1, length: length,
                count: min(it.rowsPerPiece, it.extents.outer - first), into: it.output + first)
        }
    }
}

extension ReductionStep.Function {
    /// Computes `count` results of `length` elements each; see `apus_reduce`.
    fileprivate func reduce(
        _ input: UnsafePointer<Float>, stride: Int, length: Int, count: Int, into output: UnsafeMutablePointer<Float>
    ) {
        switch self {
        case .fold(let kind, let isMean):
            apus_reduce(kind, isMean ? 1 / Float(length) : 1, input, stride, length, count, output)
        case .logSumExp: apus_reduce_log_sum_exp(input, stride, length, count, output)
        }
    }
}
