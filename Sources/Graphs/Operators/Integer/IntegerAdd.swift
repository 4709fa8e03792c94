import Tensors

/// The sum or difference of quantized numbers of different scales, in fixed point.
///
/// y = clamp(output((a − a_zero_point) · 2^left_shift · first ± (b − b_zero_point) · 2^left_shift · second) + y_zero_point)
///
/// Shapes: a and b broadcast together.
/// Attributes: the three multipliers, `a_zero_point`, `b_zero_point`, `y_zero_point`, `y_range`, `left_shift`.
/// Numerics: each product is rounded as ``FixedPointMultiplier`` has it.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerAdd: IntegerBroadcasting {
    package static let name = "IntegerAdd"
    package var scaling: IntegerScaling
    package var isDifference: Bool
    package var leftShift: Int32
    package var first: FixedPointMultiplier
    package var second: FixedPointMultiplier
    package var output: FixedPointMultiplier

    /// - Parameters:
    ///   - a: The quantization of the first operand, of one scale.
    ///   - b: The quantization of the second operand, of one scale.
    ///   - y: The quantization of the result, of one scale.
    package init(
        isDifference: Bool = false, a: Quantization, b: Quantization, y: Quantization, range: ClosedRange<Int32>,
        elementType: ElementType
    ) throws(OperatorError) {
        scaling = try IntegerScaling(a, b, y, range: range, elementType: elementType)
        self.isDifference = isDifference
        leftShift = elementType == .int16 ? 15 : 20
        let (aScale, bScale) = (Double(a.scales[0]), Double(b.scales[0]))
        let twiceLargest = 2 * max(aScale, bScale)
        first = try FixedPointMultiplier(aScale / twiceLargest)
        second = try FixedPointMultiplier(bScale / twiceLargest)
        output = try FixedPointMultiplier(twiceLargest / (Double(1 << leftShift) * Double(y.scales[0])))
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        scaling.attributes.merging(isDifference ? ["difference": .int(1)] : [:]) { first, _ in first }
    }

    @inline(__always)
    package func combine(_ a: Int32, _ b: Int32) -> Int32 {
        let a = first((a &- scaling.a) &<< leftShift)
        let b = second((b &- scaling.b) &<< leftShift)
        return output(isDifference ? a &- b : a &+ b)
    }
}

/// The product of quantized numbers: y = clamp(round((a − a_zero_point) · (b − b_zero_point) · factor) + y_zero_point).
///
/// Shapes: a and b broadcast together.
/// Numerics: rounded as ``FixedPointMultiplier`` has it.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerMul: IntegerBroadcasting {
    package static let name = "IntegerMul"
    package var scaling: IntegerScaling
    package var output: FixedPointMultiplier

    /// - Parameters: As for ``IntegerAdd``.
    package init(
        a: Quantization, b: Quantization, y: Quantization, range: ClosedRange<Int32>, elementType: ElementType
    ) throws(OperatorError) {
        scaling = try IntegerScaling(a, b, y, range: range, elementType: elementType)
        output = try FixedPointMultiplier(Double(a.scales[0] * b.scales[0] / y.scales[0]))
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }
    package var attributes: [String: AttributeValue] { scaling.attributes }

    @inline(__always)
    package func combine(_ a: Int32, _ b: Int32) -> Int32 { output((a &- scaling.a) &* (b &- scaling.b)) }
}
