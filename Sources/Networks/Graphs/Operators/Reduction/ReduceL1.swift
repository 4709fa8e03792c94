/// Sums of absolute values over axes.
///
/// y = Σ |x|
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0; with 1 and no axes each y is |x|); `axes` where no input
/// gives them.
/// Numerics: sums in float64; integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceL1.html
package struct ReduceL1: Reduction {
    package static let name = "ReduceL1"
    package static let keepsSingleElement = false
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1.magnitude } }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        values.reduce(0) { $1 < 0 ? $0 &- $1 : $0 &+ $1 }
    }
}
