/// Logarithms of sums over axes.
///
/// y = ln Σ x
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0; with 1 and no axes each y is ln x); `axes` where no input
/// gives them.
/// Numerics: sums in float64; an integer's result is rounded towards zero; nothing gives −∞.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html
package struct ReduceLogSum: Reduction {
    package static let name = "ReduceLogSum"
    package static let keepsSingleElement = false
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double { values.reduce(0, +).logarithm }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        let logarithm = reduce(values.map { Double($0) })
        return Number(exactly: logarithm.rounded(.towardZero)) ?? (logarithm < 0 ? .min : 0)
    }
}
