/// The angle in radians whose sine is given.
///
/// y = asin x, from −π/2 to π/2
///
/// Shapes: any → the same.
/// Numerics: Numbers beyond −1 and 1 give NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Asin.html
package struct Asin: ElementwiseUnary, AttributeFree {
    package static let name = "Asin"

    package init() {}

    package func apply(_ x: Double) -> Double { x.arcSine }
}
