/// A smooth approximation of the sign.
///
/// y = x / (1 + |x|)
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Softsign.html
package struct Softsign: ElementwiseUnary, AttributeFree {
    package static let name = "Softsign"

    package init() {}

    package func apply(_ x: Double) -> Double { x / (1 + x.magnitude) }
}
