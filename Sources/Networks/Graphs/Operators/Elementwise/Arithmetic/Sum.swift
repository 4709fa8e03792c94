/// The sum of tensors.
///
/// y = x₀ + x₁ + …
///
/// Shapes: any number of tensors → the shape that all broadcast to.
/// Numerics: sums in float64, in the order of the inputs.
/// Reference: https://onnx.ai/onnx/operators/onnx__Sum.html
package struct Sum: BroadcastingArithmetic, ActivationFusing {
    package static let name = "Sum"
    package static let inputCount = 1...Int.max
    package var activation: Activation?

    package init(activation: Activation? = nil) {
        self.activation = activation
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {}

    package func combine(_ a: Double, _ b: Double) -> Double { a + b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a &+ b }

    package func finish(_ value: Double, count: Int) -> Double { activation?(value) ?? value }
}
