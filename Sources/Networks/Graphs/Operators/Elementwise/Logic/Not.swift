import Tensors

/// The negation of Booleans.
///
/// y = ¬x
///
/// Shapes: any (bool) → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Not.html
package struct Not: AttributeFree {
    package static let name = "Not"
    package static let inputCount = 1...1

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.elementType == .bool else { throw .invalid("input 0 is \(x.elementType); bool is expected") }
        return [TensorType(.bool, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        return [try Tensor(x.elements(as: Bool.self).map { !$0 }, shape: x.shape)]
    }
}
