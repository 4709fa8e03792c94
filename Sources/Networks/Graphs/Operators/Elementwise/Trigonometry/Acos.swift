/// The angle in radians whose cosine is given.
///
/// y = acos x, from 0 to π
///
/// Shapes: any → the same.
/// Numerics: Numbers beyond −1 and 1 give NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Acos.html
package struct Acos: ElementwiseUnary, AttributeFree {
    package static let name = "Acos"

    package init() {}

    package func apply(_ x: Double) -> Double { x.arcCosine }
}
