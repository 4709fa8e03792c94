import Tensors

/// A cache of keys or values, with new ones written into each sequence at its own position.
///
/// y = past_cache, then y[b, …, write_indices[b] + t, …] = update[b, …, t, …]; positions past the end wrap around to
/// the start where `mode` is circular.
///
/// Shapes: past_cache [N, …], update the same but for its extent along `axis`, write_indices [N] (0 each) →
/// past_cache's.
/// Attributes: `axis` (−2), `mode` (linear; circular).
/// Errors: a position outside the cache.
/// Reference: https://onnx.ai/onnx/operators/onnx__TensorScatter.html
package struct TensorScatter: Operator {
    package enum Mode: String, Sendable, CaseIterable { case linear, circular }

    package static let name = "TensorScatter"
    package static let inputCount = 2...3
    package var axis: Int
    package var mode: Mode

    package init(axis: Int = -2, mode: Mode = .linear) {
        self.axis = axis
        self.mode = mode
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: -2)
        mode = try attributes.choice("mode") ?? .linear
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis == -2 ? [:] : ["axis": .int(Int64(axis))]
        if mode != .linear { values["mode"] = .string(mode.rawValue) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (cache, update) = (try inputs.required(0), try inputs.required(1))
        try inputs.expectSameElementType(0..<2)
        let axis = try Axes.resolve(axis, rank: cache.rank)
        var expected = cache.shape
        if update.rank == cache.rank { expected[axis] = update.shape[axis] }
        guard axis > 0, update.shape == expected, expected[axis] <= cache.shape[axis] else {
            throw .invalid("update \(update.shape) does not fit cache \(cache.shape) along axis \(axis)")
        }
        if inputs.optional(2) != nil, try inputs.indices(2).shape != [cache.shape[0]] {
            throw .invalid("write_indices must have the shape \([cache.shape[0]])")
        }
        return [TensorType(cache.elementType, cache.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (cache, update) = (try inputs.required(0), try inputs.required(1))
        let axis = try Axes.resolve(axis, rank: cache.shape.count)
        let (extent, count) = (cache.shape[axis], update.shape[axis])
        let inner = cache.shape[(axis + 1)...].elementCount
        let perImage = cache.shape[1..<axis].elementCount
        let starts = inputs.optional(2)?.elements(as: Int64.self) ?? []
        try Tensor.claim(Array(update.shape[...axis]))
        var positions: [Int] = []
        for row in 0..<cache.shape[..<axis].elementCount {
            let start = starts.isEmpty ? 0 : starts[row / max(perImage, 1)]
            guard start >= 0, start < Int64(max(extent, 1)), mode == .circular || Int(start) <= extent - count else {
                throw OperatorError.invalid("write index \(start) lies outside an axis with \(extent) elements")
            }
            for step in 0..<count { positions.append((row * extent + (Int(start) + step) % extent) * inner) }
        }
        return [try ScatterReduction.none.scatter(update, into: cache, at: positions, length: inner)]
    }
}
