/// The natural logarithm.
///
/// y = ln x
///
/// Shapes: any → the same.
/// Numerics: Zero gives −∞ and negative numbers give NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Log.html
package struct Log: ElementwiseUnary, AttributeFree {
    package static let name = "Log"

    package init() {}

    package func apply(_ x: Double) -> Double { x.logarithm }
}
