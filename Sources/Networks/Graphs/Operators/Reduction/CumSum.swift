/// Running sums along an axis.
///
/// y[i] = Σ x[j] over j ≤ i; with `exclusive` over j < i, with `reverse` from the end.
///
/// Shapes: x any, axis scalar → x's.
/// Attributes: `exclusive` (0), `reverse` (0).
/// Numerics: sums in float64; integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__CumSum.html
package struct CumSum: RunningFold {
    package static let name = "CumSum"
    package static let identity: Int8 = 0
    package var order: RunningOrder

    package init(order: RunningOrder = RunningOrder()) {
        self.order = order
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        order = try RunningOrder(&attributes)
    }

    package func combine(_ a: Double, _ b: Double) -> Double { a + b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number { a &+ b }
}
