/// The maximum of tensors, element by element.
///
/// y = max(x₀, x₁, …)
///
/// Shapes: any number of tensors → the shape that all broadcast to.
/// Numerics: NaN wins over every number.
/// Reference: https://onnx.ai/onnx/operators/onnx__Max.html
package struct Max: BroadcastingArithmetic, AttributeFree {
    package static let name = "Max"
    package static let inputCount = 1...Int.max

    package init() {}

    package func combine(_ a: Double, _ b: Double) -> Double { a.isNaN || a > b ? a : b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { Swift.max(a, b) }
}
