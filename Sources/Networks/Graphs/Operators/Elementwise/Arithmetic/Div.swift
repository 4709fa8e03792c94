/// The quotient of two tensors, element by element.
///
/// y = a / b
///
/// Shapes: a, b → the shape that both broadcast to.
/// Numerics: integers are rounded towards zero; an integer divided by 0 stays itself.
/// Reference: https://onnx.ai/onnx/operators/onnx__Div.html
package struct Div: BroadcastingArithmetic, AlignedOperator {
    package static let name = "Div"
    package static let inputCount = 2...2
    package var alignment: OperandAlignment?

    package init() {}

    package func combine(_ a: Double, _ b: Double) -> Double { a / b }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
        a.dividedReportingOverflow(by: b).partialValue
    }
}
