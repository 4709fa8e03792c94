/// The cosine of an angle in radians.
///
/// y = cos x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Cos.html
package struct Cos: ElementwiseUnary, AttributeFree {
    package static let name = "Cos"

    package init() {}

    package func apply(_ x: Double) -> Double { x.cosine }
}
