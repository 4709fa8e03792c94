/// The bits that both integers have.
///
/// y = a ∧ b
///
/// Shapes: a, b → the shape that both broadcast to.
/// Reference: https://onnx.ai/onnx/operators/onnx__BitwiseAnd.html
package struct BitwiseAnd: BroadcastingBits, AttributeFree {
    package static let name = "BitwiseAnd"

    package init() {}

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a & b }
}
