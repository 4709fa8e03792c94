import CPUKernels
import Graphs
import Planning
import Tensors

/// Attention whose heads are read in place; a head, or a part of its queries, is a piece of work.
struct AttentionLowering: Lowering {
    let kernel: GEMMKernel

    var name: String { "attention" + kernel.suffix }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let attention = request.operation as? ScaledDotProductAttention else { return .otherOperator }
        if let refusal = request.refusalOfElements ?? kernel.refusal(request) { return .decline(refusal) }
        if attention.isChangedByEqualBias(request) { return .decline("a mask of one column may not be finite") }
        let rate = 0.6 * kernel.multiplyAddsPerMicrosecond
        let cost = Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: rate, threads: request.threadCount)
        var product = kernel.cKernel
        let scratchCount = apus_attention_scratch_count(
            &product, kernel.rounding, attention.key.rowCount, attention.query.size, attention.value.size)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: request.inputs.map { _ in .rowMajor }, outputLayouts: [.rowMajor],
                readsSlices: false, writesSlices: false,
                scratchByteCount: scratchCount * MemoryLayout<Float>.stride * request.threadCount,
                bfloat16Operands: attention.bfloat16Operands(kernel)
            ) { operands in
                try AttentionStep(attention, kernel, scratchCount, operands)
            })
    }
}

private struct AttentionStep: Step {
    private struct Arguments: BitwiseCopyable {
        let query: Place
        let key: Place
        let value: Place
        let bias: UnsafePointer<Float>?
        let output: Place
        let scratch: UnsafeMutablePointer<Float>
        let partCount: Int
        let shape: Shape
    }

    /// Where an operand begins; its elements are float32 or bfloat16.
    private struct Place: BitwiseCopyable {
        private let start: UnsafeMutableRawPointer
        private let elementByteCount: Int

        init(_ operand: Operand, _ context: StepContext) {
            start = UnsafeMutableRawPointer(mutating: context.memory.address(operand))
            elementByteCount = operand.elementType.byteCount
        }

        func address(_ element: Int) -> UnsafeMutablePointer<Float> {
            (start + element * elementByteCount).assumingMemoryBound(to: Float.self)
        }
    }

    /// The parameters that are the same in every run.
    private struct Shape: BitwiseCopyable {
        let headCount: Int
        let query: ScaledDotProductAttention.HeadView
        let key: ScaledDotProductAttention.HeadView
        let value: ScaledDotProductAttention.HeadView
        let output: ScaledDotProductAttention.HeadView
        /// Strides of images, heads and queries; the image index wraps around at `biasCount`.
        let biasStrides: (image: Int, head: Int, query: Int)
        let biasCount: Int
        let scale: Float
        let kernel: GEMMKernel
        let scratchCount: Int
        /// The operands that are bfloat16, as `apus_attention_head` wants them.
        let inBFloat16: Int32
    }

    private let query: Operand
    private let key: Operand
    private let value: Operand
    private let bias: Operand?
    private let output: Operand
    private let scratch: Operand
    private let batch: Int
    private let shape: Shape

    /// The minimum queries per thread for which arranging a head's keys and values again is worthwhile.
    private static let minimumQueries = 56
    /// Pieces per thread, so that threads finish close together.
    private static let piecesPerThread = 3

    init(
        _ attention: ScaledDotProductAttention, _ kernel: GEMMKernel, _ scratchCount: Int, _ operands: StepOperands
    ) throws {
        query = try operands.input(0)
        key = try operands.input(1)
        value = try operands.input(2)
        let given = try operands.optionalInput(3)
        // A finite bias that is the same for all keys changes no weight.
        let isSame = given.map { $0.shape.last != attention.key.rowCount } ?? false
        bias = isSame ? nil : given
        output = operands.outputs[0]
        scratch = operands.scratch
        batch = attention.isBatched ? output.shape[0] : 1
        let (rows, heads, size) = (attention.query.rowCount, attention.headCount, attention.value.size)
        let biasStrides = bias.map { bias in
            let images = bias.shape.count == 4 ? bias.shape[0] : 1
            return broadcastStrides(bias, to: [images, heads, rows, attention.key.rowCount])
        }
        shape = Shape(
            headCount: heads, query: attention.query, key: attention.key, value: attention.value,
            output: .init(
                batchStride: heads * rows * size, headStride: attention.putsRowsFirst ? size : rows * size,
                rowStride: attention.putsRowsFirst ? heads * size : size, rowCount: rows, size: size),
            biasStrides: biasStrides.map { ($0[0], $0[1], $0[2]) } ?? (0, 0, 0),
            biasCount: bias.map { $0.shape.count == 4 ? $0.shape[0] : 1 } ?? 1, scale: Float(attention.scale),
            kernel: kernel, scratchCount: scratchCount,
            inBFloat16: [
                (query, APUS_ATTENTION_QUERY), (key, APUS_ATTENTION_KEY), (value, APUS_ATTENTION_VALUE),
                (output, APUS_ATTENTION_OUTPUT),
            ].reduce(0) { $0 | ($1.0.isBFloat16 ? Int32($1.1) : 0) })
    }

    func run(_ context: StepContext) {
        let headCount = batch * shape.headCount
        let wanted = Self.piecesPerThread * context.workers.count
        let parts = context.workers.count == 1 ? 1 : (wanted + headCount - 1) / headCount
        let arguments = Arguments(
            query: Place(query, context), key: Place(key, context), value: Place(value, context),
            bias: context.floats(bias), output: Place(output, context),
            scratch: context.memory.mutableAddress(scratch).assumingMemoryBound(to: Float.self),
            partCount: max(1, min(parts, shape.query.rowCount / Self.minimumQueries)), shape: shape)
        context.workers.run(headCount * arguments.partCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let (whole, part) = index.quotientAndRemainder(dividingBy: it.partCount)
            let (image, head) = whole.quotientAndRemainder(dividingBy: it.shape.headCount)
            let rows = it.shape.query.rowCount
            let first = rows * part / it.partCount
            let biasStrides = it.shape.biasStrides
            var block = apus_attention_head(
                query_count: rows * (part + 1) / it.partCount - first, key_count: it.shape.key.rowCount,
                size: it.shape.query.size, value_size: it.shape.value.size,
                query: it.query.address(it.shape.query.position(image, head, first)),
                key: it.key.address(it.shape.key.position(image, head, 0)),
                value: it.value.address(it.shape.value.position(image, head, 0)),
                query_stride: it.shape.query.rowStride,
                key_stride: it.shape.key.rowStride, value_stride: it.shape.value.rowStride,
                bias: it.bias.map {
                    $0 + image % it.shape.biasCount * biasStrides.image + head * biasStrides.head
                        + first * biasStrides.query
                }, bias_stride: biasStrides.query, scale: it.shape.scale,
                output: it.output.address(it.shape.output.position(image, head, first)),
                output_stride: it.shape.output.rowStride, in_bfloat16: it.shape.inBFloat16)
            var product = it.shape.kernel.cKernel
            apus_attend(&block, &product, it.shape.kernel.rounding, it.scratch + worker * it.shape.scratchCount)
        }
    }
}

extension ScaledDotProductAttention {
    /// The operands that may be stored in bfloat16: those of which words of two begin at even elements.
    fileprivate func bfloat16Operands(_ kernel: GEMMKernel) -> Candidate.BFloat16Operands? {
        guard kernel.precision == .bfloat16 else { return nil }
        let rounded = [query, key, value].indices.filter { [query, key, value][$0].isInWords }
        return .init(rounded: Set(rounded), isWritten: value.size % 2 == 0)
    }
}

extension ScaledDotProductAttention.HeadView {
    fileprivate var isInWords: Bool { [offset, batchStride, headStride, rowStride, size].allSatisfy { $0 % 2 == 0 } }
}

extension ScaledDotProductAttention {
    /// Whether a bias that is the same for all keys may change weights: where it is −∞ for a query, they are NaN.
    func isChangedByEqualBias(_ request: LoweringRequest) -> Bool {
        guard request.inputs.count > 3, let bias = request.inputs[3], bias.shape.last ?? 1 != key.rowCount else {
            return false
        }
        guard let constant = request.constants[3] else { return true }
        return !constant.elements(as: Float.self).allSatisfy(\.isFinite)
    }
}
