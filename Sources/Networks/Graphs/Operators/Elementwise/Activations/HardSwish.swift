/// A piecewise quadratic approximation of x · sigmoid(x).
///
/// y = x · max(0, min(1, x/6 + 1/2))
///
/// Shapes: any → the same.
/// Numerics: at −∞ its limit, −0.
/// Reference: https://onnx.ai/onnx/operators/onnx__HardSwish.html
package struct HardSwish: ElementwiseUnary, AttributeFree {
    package static let name = "HardSwish"

    package init() {}

    package func apply(_ x: Double) -> Double { x.gated((x / 6 + 0.5).clipped(0, 1)) }
}
