/// The number whose hyperbolic sine is given.
///
/// y = ln(x + √(x² + 1))
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Asinh.html
package struct Asinh: ElementwiseUnary, AttributeFree {
    package static let name = "Asinh"

    package init() {}

    package func apply(_ x: Double) -> Double { x.inverseHyperbolicSine }
}
