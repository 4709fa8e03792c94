/// A smooth, self-gated activation.
///
/// y = x · tanh(ln(1 + eˣ))
///
/// Shapes: any → the same.
/// Numerics: at −∞ its limit, −0.
/// Reference: https://onnx.ai/onnx/operators/onnx__Mish.html
package struct Mish: ElementwiseUnary, AttributeFree {
    package static let name = "Mish"

    package init() {}

    package func apply(_ x: Double) -> Double { x.gated(x.softplus.hyperbolicTangent) }
}
