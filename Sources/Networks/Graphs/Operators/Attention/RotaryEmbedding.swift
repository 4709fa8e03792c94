import Tensors

/// Pairs of features rotated by angles that depend on the position.
///
/// (y₁, y₂) = (cos · x₁ − sin · x₂, sin · x₁ + cos · x₂) for the pairs of the first `rotary_embedding_dim` features of
/// each head; other features are unchanged.
///
/// Shapes: x [N, heads, T, S] or [N, T, heads · S]; cos and sin [N, T, R / 2], or [positions, R / 2] with position_ids
/// [N, T] (optional) → x's.
/// Attributes: `interleaved` (0: a pair is R / 2 apart; 1: neighbours), `num_heads` (needed where x has three axes),
/// `rotary_embedding_dim` (0: all).
/// Errors: a position outside the caches.
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
package struct RotaryEmbedding: Operator {
    package static let name = "RotaryEmbedding"
    package static let inputCount = 3...4
    package var isInterleaved: Bool
    package var headCount: Int
    package var rotatedCount: Int

    package init(isInterleaved: Bool = false, headCount: Int = 0, rotatedCount: Int = 0) {
        self.isInterleaved = isInterleaved
        self.headCount = headCount
        self.rotatedCount = rotatedCount
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        isInterleaved = try attributes.bool("interleaved", default: false)
        headCount = try attributes.int("num_heads", default: 0)
        rotatedCount = try attributes.int("rotary_embedding_dim", default: 0)
        guard headCount >= 0, rotatedCount >= 0, rotatedCount % 2 == 0 else {
            throw .invalid("\"num_heads\" \(headCount) or \"rotary_embedding_dim\" \(rotatedCount) is not possible")
        }
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = isInterleaved ? ["interleaved": .int(1)] : [:]
        if headCount != 0 { values["num_heads"] = .int(Int64(headCount)) }
        if rotatedCount != 0 { values["rotary_embedding_dim"] = .int(Int64(rotatedCount)) }
        return values
    }

    /// The extents of x: batch, time, heads, features of a head.
    private func extents(_ x: [Int]) throws(OperatorError) -> (batch: Int, time: Int, heads: Int, size: Int) {
        if x.count == 4 { return (x[0], x[2], x[1], x[3]) }
        guard x.count == 3, headCount > 0, x[2] % headCount == 0 else {
            throw .invalid("input \(x) must have four axes, or three of which the last divides into \(headCount) heads")
        }
        return (x[0], x[1], headCount, x[2] / headCount)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        let extents = try extents(x.shape)
        let rotated = rotatedCount == 0 ? extents.size : rotatedCount
        guard rotated <= extents.size, rotated % 2 == 0 else {
            throw .invalid("\(rotated) of \(extents.size) features cannot be rotated")
        }
        for (index, name) in [(1, "cos"), (2, "sin")] {
            let cache = try inputs.floatingPoint(index)
            let fits =
                inputs.optional(3) != nil
                ? cache.rank == 2 && cache.shape[1] == rotated / 2
                : cache.shape == [extents.batch, extents.time, rotated / 2]
            guard fits, cache.shape == inputs.optional(1)?.shape else {
                throw .invalid("\(name) \(cache.shape) does not fit input \(x.shape) of which \(rotated) are rotated")
            }
        }
        if inputs.optional(3) != nil, try inputs.indices(3).shape != [extents.batch, extents.time] {
            throw .invalid("position_ids must have the shape \([extents.batch, extents.time])")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let (cosines, sines) = (try inputs.required(1), try inputs.required(2))
        let extents = try extents(x.shape)
        let pairs = (rotatedCount == 0 ? extents.size : rotatedCount) / 2
        let places = try inputs.optional(3)?.positions(extent: cosines.shape[0], "position")
        let (c, s) = (cosines.float64Elements, sines.float64Elements)
        var values = x.float64Elements
        let step = isInterleaved ? 1 : pairs
        for row in 0..<(values.isEmpty ? 0 : values.count / extents.size) {
            let head = x.shape.count == 4 ? row / extents.time : row
            let moment =
                x.shape.count == 4
                ? head / extents.heads * extents.time + row % extents.time : row / extents.heads
            let angle = (places?[moment] ?? moment) * pairs
            for pair in 0..<pairs {
                let first = row * extents.size + pair * (isInterleaved ? 2 : 1)
                let (a, b) = (values[first], values[first + step])
                values[first] = c[angle + pair] * a - s[angle + pair] * b
                values[first + step] = s[angle + pair] * a + c[angle + pair] * b
            }
        }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}
