import Tensors

/// A tensor repeated along axes of extent 1.
///
/// y = x broadcast with `shape`
///
/// Shapes: x any, shape [R] → the shape that x's and `shape` broadcast to.
/// Reference: https://onnx.ai/onnx/operators/onnx__Expand.html
package struct Expand: AttributeFree {
    package static let name = "Expand"
    package static let inputCount = 2...2

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard let shape = try inputs.integers(1, "shape") else { throw .invalid("input 1 is missing") }
        guard shape.allSatisfy({ $0 >= 0 }) else { throw .invalid("shape \(shape) has a negative dimension") }
        return [TensorType(x.elementType, try Broadcasting.shape([x.shape, shape]))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0).broadcast(to: outputTypes[0].shape).contiguous()]
    }
}
