/// The square root.
///
/// y = √x
///
/// Shapes: any → the same.
/// Numerics: Negative numbers give NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Sqrt.html
package struct Sqrt: ElementwiseUnary, AttributeFree {
    package static let name = "Sqrt"

    package init() {}

    package func apply(_ x: Double) -> Double { x.squareRoot() }
}
