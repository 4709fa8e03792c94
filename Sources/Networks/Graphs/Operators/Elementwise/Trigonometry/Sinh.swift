/// The hyperbolic sine.
///
/// y = (eˣ − e⁻ˣ) / 2
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Sinh.html
package struct Sinh: ElementwiseUnary, AttributeFree {
    package static let name = "Sinh"

    package init() {}

    package func apply(_ x: Double) -> Double { x.hyperbolicSine }
}
