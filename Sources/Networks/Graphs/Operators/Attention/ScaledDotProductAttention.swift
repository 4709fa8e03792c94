import Tensors

/// Attention of several heads, whose queries, keys and values are views of larger arrays. Only rewrites make it; model
/// files do not contain it.
///
/// y[b, i, h, c] = Σⱼ wⱼ · v[b, j, h, c] with w = softmaxⱼ(scale · Σ_c q[b, i, h, c] · k[b, j, h, c] + bias[b mod B′,
/// h, i, j])
///
/// Shapes: query, key and value any, read through their ``HeadView``; bias (optional) broadcasting to [B′, heads, I,
/// J],
/// where B′ divides the batch → [B, heads, I, C] or [B, I, heads, C], without the first axis unless `isBatched`.
/// Numerics: float64.
/// Reference: https://arxiv.org/abs/1706.03762
package struct ScaledDotProductAttention: Operator {
    package static let name = "ScaledDotProductAttention"
    package static let domain = "apus"
    package static let inputCount = 3...4

    /// The rows of heads in a tensor: element c of row i of head h of image b is the tensor's row-major element
    /// offset + b · batchStride + h · headStride + i · rowStride + c.
    package struct HeadView: Sendable, Hashable, BitwiseCopyable {
        package var offset: Int
        package var batchStride: Int
        package var headStride: Int
        package var rowStride: Int
        package var rowCount: Int
        package var size: Int

        package init(
            offset: Int = 0, batchStride: Int = 0, headStride: Int, rowStride: Int, rowCount: Int, size: Int
        ) {
            self.offset = offset
            self.batchStride = batchStride
            self.headStride = headStride
            self.rowStride = rowStride
            self.rowCount = rowCount
            self.size = size
        }
    }

    package var headCount: Int
    package var scale: Double
    package var query: HeadView
    package var key: HeadView
    package var value: HeadView
    /// Whether the first axis of query, key and value is the batch; otherwise all heads belong to one image.
    package var isBatched: Bool
    /// Whether rows come before heads in the result.
    package var putsRowsFirst: Bool

    package init(
        headCount: Int, scale: Double, query: HeadView, key: HeadView, value: HeadView, isBatched: Bool = true,
        putsRowsFirst: Bool = false
    ) {
        self.headCount = headCount
        self.scale = scale
        self.query = query
        self.key = key
        self.value = value
        self.isBatched = isBatched
        self.putsRowsFirst = putsRowsFirst
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        throw .unsupported("a model file has no \(Self.name)")
    }

    package var attributes: [String: AttributeValue] {
        [
            "heads": .int(Int64(headCount)), "scale": .float(Float(scale)), "queries": .int(Int64(query.rowCount)),
            "keys": .int(Int64(key.rowCount)),
        ]
    }

    /// The extents [B′, heads, I, J] to which a bias broadcasts; B′ is the first extent of a bias with four axes.
    package func biasShape(_ bias: TensorType) -> [Int] {
        [bias.rank == 4 ? bias.shape[0] : 1, headCount, query.rowCount, key.rowCount]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let q = try inputs.floatingPoint(0)
        try inputs.expectSameElementType(0..<4)
        let batch = isBatched ? q.shape.first ?? 0 : 1
        for (index, view) in [query, key, value].enumerated() {
            try check(view, try inputs.required(index), batch, index)
        }
        guard query.size == key.size, key.rowCount == value.rowCount, headCount > 0 else {
            throw .invalid("queries \(query), keys \(key) and values \(value) do not fit one another")
        }
        if let bias = inputs.optional(3) {
            try Broadcasting.check(bias.shape, to: biasShape(bias), "bias")
            guard bias.rank < 4 || (bias.shape[0] > 0 && batch % bias.shape[0] == 0) else {
                throw .invalid("bias \(bias.shape) does not fit a batch of \(batch)")
            }
        }
        let rows = putsRowsFirst ? [query.rowCount, headCount] : [headCount, query.rowCount]
        return [TensorType(q.elementType, (isBatched ? [batch] : []) + rows + [value.size])]
    }

    private func check(_ view: HeadView, _ type: TensorType, _ batch: Int, _ index: Int) throws(OperatorError) {
        guard !isBatched || type.shape.first == batch else {
            throw .invalid("input \(index) is \(type.shape), for a batch of \(batch)")
        }
        let steps = [
            (batch, view.batchStride), (headCount, view.headStride), (view.rowCount, view.rowStride), (view.size, 1),
        ]
        var last = view.offset
        for (count, stride) in steps {
            guard count > 0, stride >= 0, last >= 0 else { throw .invalid("input \(index) is empty") }
            let (distance, overflow) = (count - 1).multipliedReportingOverflow(by: stride)
            let (sum, overflows) = last.addingReportingOverflow(distance)
            guard !overflow, !overflows else { throw .invalid("the heads of input \(index) are too far apart") }
            last = sum
        }
        guard last < type.elementCount else {
            throw .invalid("input \(index) \(type.shape) ends before its last head")
        }
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let batch = isBatched ? inputs.optional(0)?.shape.first ?? 1 : 1
        let multiplyAdds =
            [batch, headCount, query.rowCount, key.rowCount, query.size + value.size].saturatingProduct
        return OperatorCost(multiplyAdds: multiplyAdds, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let batch = isBatched ? type.shape[0] : 1
        let q = try inputs.required(0).float64Elements
        let k = try inputs.required(1).float64Elements
        let v = try inputs.required(2).float64Elements
        let bias = inputs.optional(3)
        let shape = bias.map { biasShape(TensorType($0)) } ?? []
        let biases = bias?.broadcast(to: shape).float64Elements
        var result = [Double](repeating: 0, count: type.elementCount)
        var scores = [Double](repeating: 0, count: key.rowCount)
        let softmax = Softmax()
        for image in 0..<batch {
            for head in 0..<headCount {
                for row in 0..<query.rowCount {
                    let from = query.position(image, head, row)
                    for other in scores.indices {
                        let to = key.position(image, head, other)
                        var sum = 0.0
                        for index in 0..<query.size { sum += q[from + index] * k[to + index] }
                        scores[other] = scale * sum
                        guard let biases else { continue }
                        let plane = (image % shape[0] * headCount + head) * query.rowCount + row
                        scores[other] += biases[plane * key.rowCount + other]
                    }
                    softmax.normalize(&scores)
                    let place = putsRowsFirst ? row * headCount + head : head * query.rowCount + row
                    let target = (image * headCount * query.rowCount + place) * value.size
                    for (other, weight) in scores.enumerated() {
                        let source = value.position(image, head, other)
                        for index in 0..<value.size { result[target + index] += weight * v[source + index] }
                    }
                }
            }
        }
        return [try Tensor(result, as: type.elementType, shape: type.shape)]
    }
}

extension ScaledDotProductAttention.HeadView {
    /// The position of the first element of a row.
    package func position(_ image: Int, _ head: Int, _ row: Int) -> Int {
        offset + image * batchStride + head * headStride + row * rowStride
    }
}
