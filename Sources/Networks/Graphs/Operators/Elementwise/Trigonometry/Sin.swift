/// The sine of an angle in radians.
///
/// y = sin x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Sin.html
package struct Sin: ElementwiseUnary, AttributeFree {
    package static let name = "Sin"

    package init() {}

    package func apply(_ x: Double) -> Double { x.sine }
}
