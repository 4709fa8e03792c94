import Tensors

/// The conversion of sums of integer products to integers of another quantization.
///
/// y = min(max(round(sum · factor) + zeroPoint, range.lowerBound), range.upperBound)
package struct Requantization: Sendable, Hashable {
    /// The factor of each output channel, or one for all, and the rounding of products with it.
    package enum Factors: Sendable, Hashable {
        /// Factors in fixed point, with the rounding of TensorFlow Lite's kernels.
        case fixedPoint([FixedPointMultiplier])
        /// Factors in float32, with ONNX's rounding: products in float32, halves to the even integer.
        case float([Float])
    }

    package var factors: Factors
    package var zeroPoint: Int32
    /// The range of the result, including an activation.
    package var range: ClosedRange<Int32>
    package var elementType: ElementType
    /// Whether multipliers are rounded to 16 bits, as for convolutions with 64-bit sums.
    package var hasWideSums: Bool
    /// Whether a product in fixed point is rounded once, halves up, as for fully connected layers.
    package var roundsOnce: Bool

    package init(
        _ factors: Factors, zeroPoint: Int32, range: ClosedRange<Int32>, elementType: ElementType,
        hasWideSums: Bool = false, roundsOnce: Bool = false
    ) {
        self.factors = factors
        self.hasWideSums = hasWideSums
        self.roundsOnce = roundsOnce
        self.zeroPoint = zeroPoint
        self.range = range
        self.elementType = elementType
    }

    /// The number of factors.
    package var count: Int {
        switch factors {
        case .fixedPoint(let multipliers): multipliers.count
        case .float(let scales): scales.count
        }
    }

    /// The integer for a sum.
    ///
    /// - Parameter channel: The index of the factor, when there are several.
    @inline(__always)
    package func callAsFunction(_ sum: Int64, channel: Int) -> Int32 {
        let scaled: Int32
        switch factors {
        case .fixedPoint(let multipliers):
            let multiplier = multipliers[multipliers.count == 1 ? 0 : channel]
            if roundsOnce {
                scaled = multiplier(once: sum)
            } else {
                scaled = hasWideSums ? multiplier(wide: sum) : multiplier(Int32(truncatingIfNeeded: sum))
            }
        case .float(let scales):
            let product = Float(sum) * scales[scales.count == 1 ? 0 : channel]
            scaled = Int32(saturating: Double(product.rounded(.toNearestOrEven)))
        }
        let (shifted, overflow) = scaled.addingReportingOverflow(zeroPoint)
        let value = overflow ? (scaled < 0 ? .min : .max) : shifted
        return min(max(value, range.lowerBound), range.upperBound)
    }

    var attributes: [String: AttributeValue] {
        [
            "y_zero_point": .int(Int64(zeroPoint)),
            "y_range": .ints([Int64(range.lowerBound), Int64(range.upperBound)]),
            "rounding": .string(isFixedPoint ? "fixed point" : "nearest even"),
        ]
    }

    private var isFixedPoint: Bool { if case .fixedPoint = factors { true } else { false } }
}

extension ElementType {
    /// The range of a quantized type's integers; nil for other types.
    package var quantizedRange: ClosedRange<Int32>? {
        switch self {
        case .int8: -128...127
        case .uint8: 0...255
        case .int16: -32768...32767
        default: nil
        }
    }
}
