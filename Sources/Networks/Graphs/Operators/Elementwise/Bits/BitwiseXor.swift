/// The bits that exactly one of two integers has.
///
/// y = a ⊕ b
///
/// Shapes: a, b → the shape that both broadcast to.
/// Reference: https://onnx.ai/onnx/operators/onnx__BitwiseXor.html
package struct BitwiseXor: BroadcastingBits, AttributeFree {
    package static let name = "BitwiseXor"

    package init() {}

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a ^ b }
}
