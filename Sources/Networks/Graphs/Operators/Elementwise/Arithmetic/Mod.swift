/// The remainder of a division.
///
/// y = a − b · ⌊a / b⌋ has the divisor's sign; with `fmod` y = a − b · trunc(a / b) has the dividend's.
///
/// Shapes: a, b → the shape that both broadcast to.
/// Attributes: `fmod` (0).
/// Numerics: exact; the remainder of an integer by 0 is 0, of another number NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Mod.html
package struct Mod: BroadcastingArithmetic {
    package static let name = "Mod"
    package static let inputCount = 2...2
    /// Whether the result has the dividend's sign.
    package var truncates: Bool

    package init(truncates: Bool = false) {
        self.truncates = truncates
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        truncates = try attributes.bool("fmod", default: false)
    }

    package var attributes: [String: AttributeValue] { truncates ? ["fmod": .int(1)] : [:] }

    package func combine(_ a: Double, _ b: Double) -> Double {
        let remainder = a.truncatingRemainder(dividingBy: b)
        guard !truncates, remainder != 0, (remainder < 0) != (b < 0) else { return remainder }
        return remainder + b
    }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
        let (remainder, overflow) = a.remainderReportingOverflow(dividingBy: b)
        // The divisor is 0, or the smallest integer is divided by −1.
        guard !overflow else { return 0 }
        guard !truncates, remainder != 0, (remainder < 0) != (b < 0) else { return remainder }
        return remainder &+ b
    }
}
