/// The angle in radians whose tangent is given.
///
/// y = atan x, from −π/2 to π/2
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__Atan.html
package struct Atan: ElementwiseUnary, AttributeFree {
    package static let name = "Atan"

    package init() {}

    package func apply(_ x: Double) -> Double { x.arcTangent }
}
