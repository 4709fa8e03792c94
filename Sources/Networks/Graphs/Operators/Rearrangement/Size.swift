import Tensors

/// The number of elements of a tensor.
///
/// y = d₀ · … · dₙ
///
/// Shapes: any → scalar, int64.
/// Reference: https://onnx.ai/onnx/operators/onnx__Size.html
package struct Size: AttributeFree {
    package static let name = "Size"
    package static let inputCount = 1...1

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let count = try inputs.required(0).elementCount
        return [TensorType(try .constant([Int64(count)], shape: []))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try Tensor([Int64(inputs.required(0).elementCount)], shape: [])]
    }
}
