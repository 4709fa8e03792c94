/// Euclidean norms over axes.
///
/// y = √Σ x²
///
/// Shapes: x any, axes [n] (all) → 1 along each axis named, or without it where `keepdims` is 0.
/// Attributes: `keepdims` (1), `noop_with_empty_axes` (0; with 1 and no axes each y is |x|); `axes` where no input
/// gives them.
/// Numerics: sums in float64; integers are rounded towards zero.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReduceL2.html
package struct ReduceL2: Reduction {
    package static let name = "ReduceL2"
    package static let keepsSingleElement = false
    package var axes: ReductionAxes

    package init(axes: ReductionAxes = ReductionAxes()) {
        self.axes = axes
    }

    package func reduce(_ values: [Double]) -> Double {
        if values.count == 1 { return values[0].magnitude }
        return values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    }

    package func reduce<Number: FixedWidthInteger>(_ values: [Number]) -> Number {
        if values.count == 1 { return values[0] < 0 ? 0 &- values[0] : values[0] }
        let norm = values.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
        return norm < Double(Number.max) ? Number(norm) : .max
    }
}
