import Tensors

/// The same elements with another shape.
///
/// Shapes: x any, shape [R] → R axes: a 0 keeps x's extent (unless `allowzero`), one −1 takes what is left.
/// Attributes: `allowzero` (0); `shape` where no input gives it.
/// Reference: https://onnx.ai/onnx/operators/onnx__Reshape.html
package struct Reshape: Operator {
    package static let name = "Reshape"
    package static let inputCount = 1...2
    /// The shape, when it is an attribute.
    package var shape: [Int]?
    package var allowZero: Bool

    package init(shape: [Int]? = nil, allowZero: Bool = false) {
        self.shape = shape
        self.allowZero = allowZero
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        shape = try attributes.ints("shape")
        allowZero = try attributes.bool("allowzero", default: false)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if let shape { values["shape"] = .ints(shape.map(Int64.init)) }
        if allowZero { values["allowzero"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard let requested = try inputs.integers(1, "shape") ?? shape else { throw .invalid("\"shape\" is missing") }
        var extents = requested
        for (axis, extent) in requested.enumerated() where extent == 0 && !allowZero {
            guard axis < x.rank else { throw .invalid("shape \(requested) keeps axis \(axis), which \(x.shape) lacks") }
            extents[axis] = x.shape[axis]
        }
        let unknown = extents.indices.filter { extents[$0] == -1 }
        guard unknown.count <= 1, extents.allSatisfy({ $0 >= -1 }) else {
            throw .invalid("shape \(requested) must be of numbers from 0, and at most one -1")
        }
        let count = x.elementCount
        if let axis = unknown.first {
            let rest = try extents.enumerated().filter { $0.offset != axis }.map(\.element).product(of: "shape")
            guard rest > 0, count % rest == 0 else {
                throw .invalid("the \(count) elements of \(x.shape) do not fill the shape \(requested)")
            }
            extents[axis] = count / rest
        }
        guard try extents.product(of: "shape") == count else {
            throw .invalid("the \(count) elements of \(x.shape) do not fill the shape \(requested)")
        }
        return [TensorType(x.elementType, extents)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0).reshaped(to: outputTypes[0].shape)]
    }
}
