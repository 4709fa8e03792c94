/// A smooth form of the rectified linear unit.
///
/// y = ln(1 + eˣ)
///
/// Shapes: any → the same.
/// Numerics: Never overflows.
/// Reference: https://onnx.ai/onnx/operators/onnx__Softplus.html
package struct Softplus: ElementwiseUnary, AttributeFree {
    package static let name = "Softplus"

    package init() {}

    package func apply(_ x: Double) -> Double { x.softplus }
}
