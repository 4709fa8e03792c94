/// The negative.
///
/// y = −x
///
/// Shapes: any → the same.
/// Numerics: The smallest integer stays itself.
/// Reference: https://onnx.ai/onnx/operators/onnx__Neg.html
package struct Neg: ElementwiseUnary, AttributeFree {
    package static let name = "Neg"
    package static let acceptsIntegers = true

    package init() {}

    package func apply(_ x: Double) -> Double { -x }

    package func apply<Number: FixedWidthInteger>(_ x: Number) -> Number { 0 &- x }
}
