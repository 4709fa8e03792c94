/// The sum of two tensors.
///
/// y = a + b
///
/// Shapes: a, b → the shape that both broadcast to.
/// Numerics: integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__Add.html
package struct Add: BroadcastingArithmetic, AlignedOperator, ActivationFusing {
    package static let name = "Add"
    package static let inputCount = 2...2
    package var alignment: OperandAlignment?
    package var activation: Activation?

    package init() {}

    package init(activation: Activation?) {
        self.activation = activation
    }

    package func combine(_ a: Double, _ b: Double) -> Double { a + b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a &+ b }

    package func finish(_ value: Double, count: Int) -> Double { activation?(value) ?? value }
}
