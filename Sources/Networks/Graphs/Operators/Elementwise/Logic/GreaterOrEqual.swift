/// Whether elements are greater or equal.
///
/// y = (a ≥ b)
///
/// Shapes: a, b → bool of the shape that both broadcast to.
/// Numerics: a comparison with NaN is false.
/// Reference: https://onnx.ai/onnx/operators/onnx__GreaterOrEqual.html
package struct GreaterOrEqual: BroadcastingComparison, AlignedOperator {
    package static let name = "GreaterOrEqual"
    package var alignment: OperandAlignment?

    package init() {}

    package func holds<Number: Comparable>(_ a: Number, _ b: Number) -> Bool { a >= b }
}
