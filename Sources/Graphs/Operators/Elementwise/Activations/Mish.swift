/// A smooth, self-gated activation.
///
/// y = x · tanh(ln(1 + eˣ))
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Mish.html
package struct Mish: ElementwiseUnary, AttributeFree {
    package static let name = "Mish"

    package init() {}

    package func apply(_ x: Double) -> Double { x * x.softplus.hyperbolicTangent }
}
