import Tensors

/// A tensor whose elements are all the same.
///
/// y = value
///
/// Shapes: shape [R] → R axes.
/// Attributes: `value` (a tensor of one element; float32 0).
/// Reference: https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html
package struct ConstantOfShape: Operator {
    package static let name = "ConstantOfShape"
    package static let inputCount = 1...1
    package var value: Tensor?

    package init(value: Tensor? = nil) {
        self.value = value
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        value = try attributes.tensor("value")
        if let value, value.elementCount != 1 {
            throw .invalid("attribute \"value\" has the shape \(value.shape); one element is expected")
        }
    }

    package var attributes: [String: AttributeValue] { value.map { ["value": .tensor($0)] } ?? [:] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        guard let extents = try inputs.integers(0, "shape") else { throw .invalid("input 0 is missing") }
        guard extents.allSatisfy({ $0 >= 0 }) else { throw .invalid("shape \(extents) has a negative dimension") }
        return [TensorType(value?.elementType ?? .float32, extents)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let element = try value?.reshaped(to: []) ?? Tensor([Float(0)], shape: [])
        return [try element.broadcast(to: outputTypes[0].shape).contiguous()]
    }
}
