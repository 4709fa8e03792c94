/// Whether elements are not numbers.
///
/// y = x is NaN
///
/// Shapes: any → the same (bool).
/// Reference: https://onnx.ai/onnx/operators/onnx__IsNaN.html
package struct IsNaN: ElementwisePredicate, AttributeFree {
    package static let name = "IsNaN"

    package init() {}

    package func holds(_ x: Double) -> Bool { x.isNaN }
}
