/// The absolute value.
///
/// y = |x|
///
/// Shapes: any → the same.
/// Numerics: The smallest integer stays itself.
/// Reference: https://onnx.ai/onnx/operators/onnx__Abs.html
package struct Abs: ElementwiseUnary, AttributeFree {
    package static let name = "Abs"
    package static let acceptsIntegers = true

    package init() {}

    package func apply(_ x: Double) -> Double { x.magnitude }

    package func apply<Number: FixedWidthInteger>(_ x: Number) -> Number { x < 0 ? 0 &- x : x }
}
