/// The smallest elements over axes.
///
/// y = min x
///
/// Shapes: x any, axes [n] (all) → 1 along each reduced axis, which is dropped where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0); `axes` before version 18, an input from then on.
/// Numerics: NaN wins over every number; without elements it is ∞, or the largest integer.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceMin.html
package struct ReduceMin: Reduction {
    package static let name = "ReduceMin"
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double { values.reduce(.infinity) { $1.isNaN || $1 < $0 ? $1 : $0 } }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        values.min() ?? .max
    }
}
