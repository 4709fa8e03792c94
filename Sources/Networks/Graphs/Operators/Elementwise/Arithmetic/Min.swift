/// The minimum of tensors, element by element.
///
/// y = min(x₀, x₁, …)
///
/// Shapes: any number of tensors → the shape that all broadcast to.
/// Numerics: NaN wins over every number.
/// Reference: https://onnx.ai/onnx/operators/onnx__Min.html
package struct Min: BroadcastingArithmetic, AttributeFree {
    package static let name = "Min"
    package static let inputCount = 1...Int.max

    package init() {}

    package func combine(_ a: Double, _ b: Double) -> Double { a.isNaN || a < b ? a : b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { Swift.min(a, b) }
}
