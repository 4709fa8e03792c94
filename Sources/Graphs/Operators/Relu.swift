import Tensors

/// The rectified linear unit.
///
/// y = max(x, 0); NaN stays NaN.
///
/// Shapes: any → the same. Reference: https://onnx.ai/onnx/operators/onnx__Relu.html
package struct Relu: Operator {
    package static let name = "Relu"
    package static let inputCount = 1...1

    package init() {}

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("consumed_inputs")
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let values = x.elements(as: Double.self).map { Activation.relu($0) }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}
