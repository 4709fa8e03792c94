/// The hyperbolic cosine.
///
/// y = (eˣ + e⁻ˣ) / 2
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Cosh.html
package struct Cosh: ElementwiseUnary, AttributeFree {
    package static let name = "Cosh"

    package init() {}

    package func apply(_ x: Double) -> Double { x.hyperbolicCosine }
}
