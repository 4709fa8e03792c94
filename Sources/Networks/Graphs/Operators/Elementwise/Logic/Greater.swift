/// Whether elements are greater.
///
/// y = (a > b)
///
/// Shapes: a, b → bool of the shape that both broadcast to.
/// Numerics: a comparison with NaN is false.
/// Reference: https://onnx.ai/onnx/operators/onnx__Greater.html
package struct Greater: BroadcastingComparison, AlignedOperator {
    package static let name = "Greater"
    package var alignment: OperandAlignment?

    package init() {}

    package func holds<Number: Comparable>(_ a: Number, _ b: Number) -> Bool { a > b }
}
