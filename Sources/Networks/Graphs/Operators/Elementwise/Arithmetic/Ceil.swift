/// Rounding up.
///
/// y = ⌈x⌉
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Ceil.html
package struct Ceil: ElementwiseUnary, AttributeFree {
    package static let name = "Ceil"

    package init() {}

    package func apply(_ x: Double) -> Double { x.rounded(.up) }
}
