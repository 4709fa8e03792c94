/// Logarithms of sums of exponentials over axes.
///
/// y = ln Σ eˣ
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0); `axes` where no input gives them.
/// Numerics: float64, the largest element subtracted first; an integer's result is rounded towards zero; nothing gives
/// −∞.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceLogSumExp.html
package struct ReduceLogSumExp: Reduction {
    package static let name = "ReduceLogSumExp"
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double {
        let peak = values.reduce(-.infinity, Swift.max)
        guard peak.isFinite else { return values.contains(where: \.isNaN) ? .nan : peak }
        return peak + values.reduce(0) { $0 + ($1 - peak).exponential }.logarithm
    }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        let logarithm = reduce(values.map { Double($0) })
        return Number(exactly: logarithm.rounded(.towardZero)) ?? (logarithm < 0 ? .min : .max)
    }
}
