import Tensors

/// The sum or difference of quantized numbers with different scales, in fixed point or in float32.
///
/// y = clamp(output((a − a_zero_point) · 2^left_shift · first ± (b − b_zero_point) · 2^left_shift · second) +
/// y_zero_point)
///
/// With scales: y = clamp(round((a − a_zero_point) · a_scale + (b − b_zero_point) · b_scale) + y_zero_point)
///
/// Shapes: a and b broadcast together.
/// Attributes: the three multipliers or the two scales, `a_zero_point`, `b_zero_point`, `y_zero_point`, `y_range`,
/// `left_shift`.
/// Numerics: each product is rounded as in ``FixedPointMultiplier``; with scales, every operation is rounded to
/// float32, and the sum to the even integer.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerAdd: IntegerBroadcasting {
    package static let name = "IntegerAdd"
    package var scaling: IntegerScaling
    package var isDifference: Bool
    package var leftShift: Int32
    package var first: FixedPointMultiplier
    package var second: FixedPointMultiplier
    package var output: FixedPointMultiplier
    /// The operands' scales relative to that of the result, for float32; nil in fixed point.
    package private(set) var scales: (a: Float, b: Float)?

    /// - Parameters:
    ///   - a: The quantization of the first operand, with one scale.
    ///   - b: The quantization of the second operand, with one scale.
    ///   - y: The quantization of the result, with one scale.
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

    /// The sum in float32, as operators between DequantizeLinear and QuantizeLinear compute it.
    package init(
        inFloat32 a: Quantization, _ b: Quantization, y: Quantization, range: ClosedRange<Int32>,
        elementType: ElementType
    ) throws(OperatorError) {
        try self.init(a: a, b: b, y: y, range: range, elementType: elementType)
        let factors = (a: a.scales[0] / y.scales[0], b: b.scales[0] / y.scales[0])
        guard factors.a.isFinite, factors.b.isFinite else { throw .invalid("scales give no finite factors") }
        scales = factors
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        var values = scaling.attributes
        if isDifference { values["difference"] = .int(1) }
        if let scales { values["scales"] = .floats([scales.a, scales.b]) }
        return values
    }

    @inline(__always)
    package func combine(_ a: Int32, _ b: Int32) -> Int32 {
        if let scales {
            let sum = Float(a &- scaling.a) * scales.a + Float(b &- scaling.b) * scales.b
            return Int32(min(max(sum.rounded(.toNearestOrEven), -0x1p16), 0x1p16))
        }
        let a = first((a &- scaling.a) &<< leftShift)
        let b = second((b &- scaling.b) &<< leftShift)
        return output(isDifference ? a &- b : a &+ b)
    }
}

/// The product of quantized numbers: y = clamp(round((a − a_zero_point) · (b − b_zero_point) · factor) + y_zero_point).
///
/// Shapes: a and b broadcast together.
/// Numerics: rounded as in ``FixedPointMultiplier``.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerMul: IntegerBroadcasting {
    package static let name = "IntegerMul"
    package var scaling: IntegerScaling
    package var output: FixedPointMultiplier

    /// - Parameters: Those of ``IntegerAdd``.
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
