import Tensors

/// PRelu of quantized numbers: y = clamp(round(x′ · factor) + y_zero_point) where x′ ≥ 0, and clamp(round(x′ · slope′ ·
/// slope_factor) + y_zero_point) elsewhere; x′ and slope′ are x and slope minus their zero points.
///
/// Shapes: x and slope broadcast together.
/// Numerics: rounded as in ``FixedPointMultiplier``.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerPRelu: IntegerBroadcasting {
    package static let name = "IntegerPRelu"
    package var scaling: IntegerScaling
    package var factor: FixedPointMultiplier
    package var slopeFactor: FixedPointMultiplier

    /// - Parameters: The quantizations of the operand, the slope and the result, each with one scale.
    package init(
        x: Quantization, slope: Quantization, y: Quantization, elementType: ElementType
    ) throws(OperatorError) {
        scaling = try IntegerScaling(
            x, slope, y, range: elementType.quantizedRange ?? 0...0, elementType: elementType)
        factor = try FixedPointMultiplier(Double(x.scales[0] / y.scales[0]))
        slopeFactor = try FixedPointMultiplier(Double(x.scales[0] * slope.scales[0] / y.scales[0]))
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }
    package var attributes: [String: AttributeValue] { scaling.attributes }

    @inline(__always)
    package func combine(_ a: Int32, _ b: Int32) -> Int32 {
        let x = a &- scaling.a
        return x >= 0 ? factor(x) : slopeFactor(x &* (b &- scaling.b))
    }
}
