/// Products over axes.
///
/// y = Π x
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0); `axes` where no input gives them.
/// Numerics: products in float64; integers wrap around; the product of nothing is 1.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceProd.html
package struct ReduceProd: Reduction {
    package static let name = "ReduceProd"
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double { values.reduce(1, *) }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        values.reduce(1, &*)
    }
}
