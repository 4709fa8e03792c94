/// The product of two tensors, element by element.
///
/// y = a · b
///
/// Shapes: a, b → the shape that both broadcast to.
/// Numerics: integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__Mul.html
package struct Mul: BroadcastingArithmetic, AlignedOperator {
    package static let name = "Mul"
    package static let inputCount = 2...2
    package var alignment: OperandAlignment?

    package init() {}

    package func combine(_ a: Double, _ b: Double) -> Double { a * b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a &* b }
}
