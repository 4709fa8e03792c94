/// The largest elements over axes.
///
/// y = max x
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0); `axes` where no input gives them.
/// Numerics: NaN wins over every number; of nothing it is −∞, or the smallest integer.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceMax.html
package struct ReduceMax: Reduction {
    package static let name = "ReduceMax"
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double { values.reduce(-.infinity) { $1.isNaN || $1 > $0 ? $1 : $0 } }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        values.max() ?? .min
    }
}
