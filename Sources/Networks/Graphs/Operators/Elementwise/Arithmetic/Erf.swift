/// The error function.
///
/// y = 2/√π ∫₀ˣ e^(−t²) dt
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Erf.html
package struct Erf: ElementwiseUnary, AttributeFree {
    package static let name = "Erf"

    package init() {}

    package func apply(_ x: Double) -> Double { x.errorFunction }
}
