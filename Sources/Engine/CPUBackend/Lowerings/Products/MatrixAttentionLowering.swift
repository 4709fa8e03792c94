import CPUKernels
import Graphs
import Planning
import Tensors

/// Attention as two OpenBLAS products per head, with the scores of some of its queries between them.
struct MatrixAttentionLowering: Lowering {
    let name = "gemm-attention"
    let openBLAS: OpenBLAS

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let attention = request.operation as? ScaledDotProductAttention else { return .otherOperator }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        if attention.isChangedByEqualBias(request) { return .decline("a mask of one column may not be finite") }
        let counts = request.inputs.compactMap { $0?.elementCount } + request.outputs.map(\.elementCount)
        guard counts.allSatisfy({ OpenBLAS.accepts($0) }) else {
            return .decline("extents exceed OpenBLAS's integers")
        }
        for view in [attention.query, attention.key, attention.value]
        where view.rowCount > 1 && view.rowStride < view.size {
            return .decline("rows overlap")
        }
        let scratchCount = MatrixAttentionStep.scratchCount(attention)
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost, multiplyAddsPerMicrosecond: 8_000, threads: request.threadCount),
                inputLayouts: request.inputs.map { _ in .rowMajor }, outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false, scratchByteCount: scratchCount * MemoryLayout<Float>.stride * request.threadCount
            ) { operands in
                try MatrixAttentionStep(attention, openBLAS, scratchCount, operands)
            })
    }
}

private struct MatrixAttentionStep: Step {
    fileprivate struct Arguments: BitwiseCopyable {
        let query: UnsafePointer<Float>
        let key: UnsafePointer<Float>
        let value: UnsafePointer<Float>
        let bias: UnsafePointer<Float>?
        let output: UnsafeMutablePointer<Float>
        let scratch: UnsafeMutablePointer<Float>
        let shape: Shape
    }

    /// The parameters that are the same in every run.
    fileprivate struct Shape: BitwiseCopyable {
        let openBLAS: OpenBLAS
        let headCount: Int
        let query: ScaledDotProductAttention.HeadView
        let key: ScaledDotProductAttention.HeadView
        let value: ScaledDotProductAttention.HeadView
        let output: ScaledDotProductAttention.HeadView
        /// Strides of images, heads and queries; the image index wraps around at `biasCount`.
        let biasStrides: (image: Int, head: Int, query: Int)
        let biasCount: Int
        let scale: Float
        let rowsPerTile: Int
        let tileCount: Int
        let scratchCount: Int
    }

    private let query: Operand
    private let key: Operand
    private let value: Operand
    private let bias: Operand?
    private let output: Operand
    private let scratch: Operand
    private let batch: Int
    private let shape: Shape

    /// The division of a head's queries, which is the same for any number of threads.
    private static func tiling(_ attention: ScaledDotProductAttention) -> ProductPartition {
        ProductPartition(rows: attention.query.rowCount, columns: 1, depth: attention.key.rowCount)
    }

    /// The floats of scores that a thread holds at a time.
    static func scratchCount(_ attention: ScaledDotProductAttention) -> Int {
        (tiling(attention).rowsPerTile * attention.key.rowCount + 15) / 16 * 16
    }

    init(
        _ attention: ScaledDotProductAttention, _ openBLAS: OpenBLAS, _ scratchCount: Int, _ operands: StepOperands
    ) throws {
        query = try operands.input(0)
        key = try operands.input(1)
        value = try operands.input(2)
        output = operands.outputs[0]
        scratch = operands.scratch
        batch = attention.isBatched ? output.shape[0] : 1
        let (rows, heads, size) = (attention.query.rowCount, attention.headCount, attention.value.size)
        let given = try operands.optionalInput(3)
        let strides = given.map { bias in
            broadcastStrides(
                bias, to: [bias.shape.count == 4 ? bias.shape[0] : 1, heads, rows, attention.key.rowCount])
        }
        // A finite bias that is the same for all keys changes no weight.
        bias = strides.map { $0[3] == 1 } ?? false ? given : nil
        let tiling = Self.tiling(attention)
        shape = Shape(
            openBLAS: openBLAS, headCount: heads, query: attention.query, key: attention.key, value: attention.value,
            output: .init(
                batchStride: heads * rows * size, headStride: attention.putsRowsFirst ? size : rows * size,
                rowStride: attention.putsRowsFirst ? heads * size : size, rowCount: rows, size: size),
            biasStrides: strides.map { ($0[0], $0[1], $0[2]) } ?? (0, 0, 0),
            biasCount: given.map { $0.shape.count == 4 ? $0.shape[0] : 1 } ?? 1, scale: Float(attention.scale),
            rowsPerTile: tiling.rowsPerTile, tileCount: tiling.rowTileCount, scratchCount: scratchCount)
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            query: context.floats(query), key: context.floats(key), value: context.floats(value),
            bias: context.floats(bias), output: context.mutableFloats(output),
            scratch: context.mutableFloats(scratch), shape: shape)
        context.workers.run(batch * shape.headCount * shape.tileCount, arguments) { context, index, worker in
            context.load(as: Arguments.self).runPiece(index, worker)
        }
    }
}

extension MatrixAttentionStep.Arguments {
    /// Computes some queries of one head.
    fileprivate func runPiece(_ index: Int, _ worker: Int) {
        let (whole, tile) = index.quotientAndRemainder(dividingBy: shape.tileCount)
        let (image, head) = whole.quotientAndRemainder(dividingBy: shape.headCount)
        let first = tile * shape.rowsPerTile
        let rows = min(shape.rowsPerTile, shape.query.rowCount - first)
        let keys = shape.key.rowCount
        let scores = scratch + worker * shape.scratchCount
        shape.openBLAS.multiply(
            StridedProduct(
                rows: shape.query.rowCount, columns: keys, depth: shape.query.size, alpha: shape.scale,
                leftRowStride: shape.query.rowStride,
                rightStride: max(shape.key.rowStride, shape.key.size), isRightTransposed: true, resultStride: keys),
            rows: rows, columns: keys, query + shape.query.position(image, head, first),
            key + shape.key.position(image, head, 0), into: scores)
        if let bias {
            let strides = shape.biasStrides
            let start = image % shape.biasCount * strides.image + head * strides.head + first * strides.query
            apus_add_bias_and_activate(
                scores, rows, keys, keys, nil, bias + start, strides.query, apus_activation(nil))
        }
        for row in 0..<rows { apus_softmax(scores + row * keys, 1, keys, scores + row * keys, 1) }
        shape.openBLAS.multiply(
            StridedProduct(
                rows: shape.query.rowCount, columns: shape.value.size, depth: keys, leftRowStride: keys,
                rightStride: max(shape.value.rowStride, shape.value.size),
                resultStride: shape.output.rowStride),
            rows: rows, columns: shape.value.size, scores, value + shape.value.position(image, head, 0),
            into: output + shape.output.position(image, head, first))
    }
}
