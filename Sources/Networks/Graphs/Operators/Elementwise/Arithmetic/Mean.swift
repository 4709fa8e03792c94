/// The mean of tensors, element by element.
///
/// y = (x₀ + x₁ + …) / count
///
/// Shapes: any number of tensors → the shape that all broadcast to.
/// Numerics: sums in float64, in the order of the inputs.
/// Reference: https://onnx.ai/onnx/operators/onnx__Mean.html
package struct Mean: BroadcastingArithmetic, AttributeFree {
    package static let name = "Mean"
    package static let inputCount = 1...Int.max

    package init() {}

    package func combine(_ a: Double, _ b: Double) -> Double { a + b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a &+ b }

    package func finish(_ value: Double, count: Int) -> Double { value / Double(count) }
}
