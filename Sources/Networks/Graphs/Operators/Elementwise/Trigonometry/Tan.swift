/// The tangent of an angle in radians.
///
/// y = tan x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Tan.html
package struct Tan: ElementwiseUnary, AttributeFree {
    package static let name = "Tan"

    package init() {}

    package func apply(_ x: Double) -> Double { x.tangent }
}
