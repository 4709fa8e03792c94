/// The reciprocal.
///
/// y = 1 / x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Reciprocal.html
package struct Reciprocal: ElementwiseUnary, AttributeFree {
    package static let name = "Reciprocal"

    package init() {}

    package func apply(_ x: Double) -> Double { 1 / x }
}
