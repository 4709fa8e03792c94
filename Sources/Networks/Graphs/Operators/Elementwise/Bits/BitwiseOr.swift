/// The bits that at least one of two integers has.
///
/// y = a ∨ b
///
/// Shapes: a, b → the shape that both broadcast to.
/// Reference: https://onnx.ai/onnx/operators/onnx__BitwiseOr.html
package struct BitwiseOr: BroadcastingBits, AttributeFree {
    package static let name = "BitwiseOr"

    package init() {}

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a | b }
}
