import Tensors

/// A tensor cut into parts along an axis.
///
/// x = y₀ ‖ y₁ ‖ …
///
/// Shapes: x any, split [n] (optional) → n tensors, with the extents `split` says along `axis`. Without `split` the
/// parts are equal, but the last may be smaller where `allowsRemainder`.
/// Attributes: `axis` (0), `num_outputs` (as many as the node has); `split` where no input gives it.
/// Reference: https://onnx.ai/onnx/operators/onnx__Split.html
package struct Split: Operator {
    package static let name = "Split"
    package static let inputCount = 1...2
    package static let outputCount = 1...Int.max
    package var axis: Int
    /// The extents of the parts, when they are an attribute.
    package var extents: [Int]?
    /// The number of parts, when their extents are not given.
    package var partCount: Int?
    /// Whether the last part may be smaller than the others.
    package var allowsRemainder: Bool

    package init(axis: Int = 0, extents: [Int]? = nil, partCount: Int? = nil) {
        self.axis = axis
        self.extents = extents
        self.partCount = partCount
        allowsRemainder = true
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: 0)
        extents = try attributes.ints("split")
        partCount = try attributes.int("num_outputs") ?? attributes.outputCount
        allowsRemainder = true
        if let count = attributes.outputCount, let partCount, count != partCount {
            throw .invalid("attribute \"num_outputs\" is \(partCount), but \(count) outputs are named")
        }
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis == 0 ? [:] : ["axis": .int(Int64(axis))]
        if let extents { values["split"] = .ints(extents.map(Int64.init)) }
        if extents == nil, let partCount { values["num_outputs"] = .int(Int64(partCount)) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(axis, rank: x.rank)
        let given = try inputs.integers(1, "split") ?? extents
        let parts = if let given { given } else { try equalParts(of: x.shape[axis]) }
        var rest = x.shape[axis]
        for part in parts {
            guard part >= 0, part <= rest else {
                throw .invalid("parts \(parts) do not add up to the extent \(x.shape[axis]) of axis \(axis)")
            }
            rest -= part
        }
        guard rest == 0 else {
            throw .invalid("parts \(parts) do not add up to the extent \(x.shape[axis]) of axis \(axis)")
        }
        return parts.map { part in
            var shape = x.shape
            shape[axis] = part
            return TensorType(x.elementType, shape)
        }
    }

    private func equalParts(of extent: Int) throws(OperatorError) -> [Int] {
        guard let partCount else { throw .invalid("neither \"split\" nor \"num_outputs\" is given") }
        guard partCount > 0, partCount <= max(extent, 1), allowsRemainder || extent % partCount == 0 else {
            throw .invalid("an extent of \(extent) does not divide into \(partCount) parts")
        }
        let part = extent / partCount + (extent % partCount == 0 ? 0 : 1)
        return (0..<partCount).map { max(0, min(part, extent - $0 * part)) }
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        var first = 0
        return try outputTypes.map { type in
            defer { first += type.shape[axis] }
            return try x.sliced(axis: axis, first..<first + type.shape[axis])
        }
    }
}
