/// Rounding down.
///
/// y = ⌊x⌋
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Floor.html
package struct Floor: ElementwiseUnary, AttributeFree {
    package static let name = "Floor"

    package init() {}

    package func apply(_ x: Double) -> Double { x.rounded(.down) }
}
