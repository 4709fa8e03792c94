/// Means over axes.
///
/// y = Σ x / count
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0); `axes` where no input gives them.
/// Numerics: sums in float64; integers are rounded towards zero.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceMean.html
package struct ReduceMean: Reduction {
    package static let name = "ReduceMean"
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        Number(clamping: values.reduce(Int64(0)) { $0 &+ Int64(clamping: $1) } / Int64(max(values.count, 1)))
    }
}
