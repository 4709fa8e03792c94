/// Whether elements are less or equal.
///
/// y = (a ≤ b)
///
/// Shapes: a, b → bool of the shape that both broadcast to.
/// Numerics: a comparison with NaN is false.
/// Reference: https://onnx.ai/onnx/operators/onnx__LessOrEqual.html
package struct LessOrEqual: BroadcastingComparison, AlignedOperator {
    package static let name = "LessOrEqual"
    package var alignment: OperandAlignment?

    package init() {}

    package func holds<Number: Comparable>(_ a: Number, _ b: Number) -> Bool { a <= b }
}
