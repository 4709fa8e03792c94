/// A number with the exponent of float32 and eight bits of precision: the upper half of a float32's bits.
public struct BFloat16: Sendable, Hashable, BitwiseCopyable {
    /// The bits.
    public let bitPattern: UInt16

    /// Makes a number from its bits.
    public init(bitPattern: UInt16) {
        self.bitPattern = bitPattern
    }

    /// Rounds a number to the nearest, ties to even.
    public init(_ value: Float) {
        let bits = value.bitPattern
        if value.isNaN {
            bitPattern = UInt16(truncatingIfNeeded: bits >> 16) | 0x40
        } else {
            bitPattern = UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
        }
    }

    /// The number as a float32, which holds it exactly.
    public var floatValue: Float { Float(bitPattern: UInt32(bitPattern) << 16) }
}

extension BFloat16: TensorElement {
    public static var elementType: ElementType { .bfloat16 }
    public init(saturating value: Double) { self.init(Float(value)) }
    public init(saturating value: Int64) { self.init(Float(value)) }
    public var doubleValue: Double { Double(floatValue) }
    public var int64Value: Int64 { Int64(saturating: doubleValue) }
}
