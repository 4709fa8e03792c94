/// The nearest integer, with halves rounded to even.
///
/// y = round x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Round.html
package struct Round: ElementwiseUnary, AttributeFree {
    package static let name = "Round"

    package init() {}

    package func apply(_ x: Double) -> Double { x.rounded(.toNearestOrEven) }
}
