/// Sums over axes.
///
/// y = Σ x
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0); `axes` where no input gives them.
/// Numerics: sums in float64; integers wrap around; nothing sums to 0.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceSum.html
package struct ReduceSum: Reduction {
    package static let name = "ReduceSum"
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double { values.reduce(0, +) }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        values.reduce(0, &+)
    }
}
