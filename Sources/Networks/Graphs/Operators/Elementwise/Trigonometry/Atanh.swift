/// The number whose hyperbolic tangent is given.
///
/// y = ln((1 + x) / (1 − x)) / 2
///
/// Shapes: any → the same.
/// Numerics: Numbers beyond −1 and 1 give NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Atanh.html
package struct Atanh: ElementwiseUnary, AttributeFree {
    package static let name = "Atanh"

    package init() {}

    package func apply(_ x: Double) -> Double { x.inverseHyperbolicTangent }
}
