/// Whether at least one element is true.
///
/// y = a ∨ b
///
/// Shapes: a, b (bool) → bool of the shape that both broadcast to.
/// Reference: https://onnx.ai/onnx/operators/onnx__Or.html
package struct Or: BroadcastingLogic, AlignedOperator {
    package static let name = "Or"
    package var alignment: OperandAlignment?

    package init() {}

    package func combine(_ a: Bool, _ b: Bool) -> Bool { a || b }
}
