/// The exponential.
///
/// y = eˣ
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Exp.html
package struct Exp: ElementwiseUnary, AttributeFree {
    package static let name = "Exp"

    package init() {}

    package func apply(_ x: Double) -> Double { x.exponential }
}
