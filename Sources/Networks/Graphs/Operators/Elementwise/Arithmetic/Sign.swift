/// The sign of a number.
///
/// y = −1, 0 or 1
///
/// Shapes: any → the same.
/// Numerics: NaN stays NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Sign.html
package struct Sign: ElementwiseUnary, AttributeFree {
    package static let name = "Sign"
    package static let acceptsIntegers = true

    package init() {}

    package func apply(_ x: Double) -> Double { x > 0 ? 1 : x < 0 ? -1 : x.isNaN ? x : 0 }

    package func apply<Number: FixedWidthInteger>(_ x: Number) -> Number { Number(x.signum()) }
}
