import Tensors

/// A tensor that is part of the network.
///
/// y = value
///
/// Shapes: → the value's.
/// Attributes: one of `value` (tensor), `value_float`, `value_int` (scalars), `value_floats`, `value_ints` (lists).
/// Reference: https://onnx.ai/onnx/operators/onnx__Constant.html
package struct Constant: Operator {
    package static let name = "Constant"
    package static let inputCount = 0...0
    package var value: Tensor

    package init(value: Tensor) {
        self.value = value
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        let tensor = try attributes.tensor("value")
        let (float, floats) = (try attributes.float("value_float"), try attributes.floats("value_floats"))
        let (int, ints) = (try attributes.int("value_int"), try attributes.ints("value_ints"))
        if let tensor {
            value = tensor
        } else if let float {
            value = try .constant([float], shape: [])
        } else if let int {
            value = try .constant([Int64(int)], shape: [])
        } else if let floats {
            value = try .constant(floats, shape: [floats.count])
        } else if let ints {
            value = try .constant(ints.map(Int64.init), shape: [ints.count])
        } else {
            throw .invalid("attribute \"value\" is missing")
        }
    }

    package var attributes: [String: AttributeValue] { ["value": .tensor(value)] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [TensorType(value, keepingContent: value.elementCount <= Graph.followedElementCount)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] { [value] }
}
