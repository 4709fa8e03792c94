import Tensors

/// The input itself.
///
/// y = x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Identity.html
package struct Identity: AttributeFree {
    package static let name = "Identity"
    package static let inputCount = 1...1

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [try inputs.required(0)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0)]
    }
}
