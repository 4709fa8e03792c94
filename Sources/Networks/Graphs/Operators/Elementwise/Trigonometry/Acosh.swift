/// The number whose hyperbolic cosine is given.
///
/// y = ln(x + √(x² − 1))
///
/// Shapes: any → the same.
/// Numerics: Numbers below 1 give NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Acosh.html
package struct Acosh: ElementwiseUnary, AttributeFree {
    package static let name = "Acosh"

    package init() {}

    package func apply(_ x: Double) -> Double { x.inverseHyperbolicCosine }
}
