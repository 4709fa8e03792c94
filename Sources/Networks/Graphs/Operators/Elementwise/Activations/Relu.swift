/// The rectified linear unit.
///
/// y = max(x, 0)
///
/// Shapes: any → the same.
/// Numerics: NaN stays NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Relu.html
package struct Relu: ElementwiseUnary, AttributeFree {
    package static let name = "Relu"
    package static let acceptsIntegers = true

    package init() {}

    package func apply(_ x: Double) -> Double { x > 0 || x.isNaN ? x : 0 }

    package func apply<Number: FixedWidthInteger>(_ x: Number) -> Number { Swift.max(x, 0) }
}
