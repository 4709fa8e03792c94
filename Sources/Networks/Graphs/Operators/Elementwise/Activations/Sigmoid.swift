/// The logistic function.
///
/// y = 1 / (1 + e⁻ˣ)
///
/// Shapes: any → the same.
/// Numerics: Never overflows.
/// Reference: https://onnx.ai/onnx/operators/onnx__Sigmoid.html
package struct Sigmoid: ElementwiseUnary, AttributeFree {
    package static let name = "Sigmoid"

    package init() {}

    package func apply(_ x: Double) -> Double { x.logistic }
}
