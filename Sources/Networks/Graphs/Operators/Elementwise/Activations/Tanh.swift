/// The hyperbolic tangent.
///
/// y = tanh x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Tanh.html
package struct Tanh: ElementwiseUnary, AttributeFree {
    package static let name = "Tanh"

    package init() {}

    package func apply(_ x: Double) -> Double { x.hyperbolicTangent }
}
