/// Whether at least one element is true.
///
/// y = a ∨ b
///
/// Shapes: a, b (bool) → bool of the shape that both broadcast to.
/// Attributes: `broadcast` (0) and `axis` before version 7.
/// Reference: https://onnx.ai/onnx/operators/onnx__Or.html
package struct Or: BroadcastingLogic {
    package static let name = "Or"
    package var alignment: OperandAlignment?

    package init() {}

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alignment = try .read(&attributes)
    }

    package func combine(_ a: Bool, _ b: Bool) -> Bool { a || b }
}
