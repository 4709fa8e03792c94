import Tensors

/// How sums of integer products become integers of another quantization.
///
/// y = min(max(round(sum · factor) + zeroPoint, range.lowerBound), range.upperBound)
package struct Requantization: Sendable, Hashable {
    /// The factor of each output channel, or one for all, and how products with it are rounded.
    package enum Factors: Sendable, Hashable {
        /// As TensorFlow Lite's kernels round: in fixed point.
        case fixedPoint([FixedPointMultiplier])
        /// As ONNX has it: the product in float32, halves to the even integer.
        case float([Float])
    }

    package var factors: Factors
    package var zeroPoint: Int32
    /// The range of the result, an activation taken in.
    package var range: ClosedRange<Int32>
    package var elementType: ElementType
    /// Whether multipliers are rounded to 16 bits, as for convolutions whose sums have 64.
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

    /// The integer that a sum becomes.
    ///
    /// - Parameter channel: Which factor is used, when there are many.
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
    /// The integers of a quantized type; nil for types that hold none.
    package var quantizedRange: ClosedRange<Int32>? {
        switch self {
        case .int8: -128...127
        case .uint8: 0...255
        case .int16: -32768...32767
        default: nil
        }
    }
}
