/// Whether both elements are true.
///
/// y = a ∧ b
///
/// Shapes: a, b (bool) → bool of the shape that both broadcast to.
/// Reference: https://onnx.ai/onnx/operators/onnx__And.html
package struct And: BroadcastingLogic, AlignedOperator {
    package static let name = "And"
    package var alignment: OperandAlignment?

    package init() {}

    package func combine(_ a: Bool, _ b: Bool) -> Bool { a && b }
}
