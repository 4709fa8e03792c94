#if canImport(Glibc)
    import Glibc
#endif

/// A floating-point number of at most eight bits, stored in a byte of its own.
///
/// Reference: https://onnx.ai/onnx/technical/float8.html, https://onnx.ai/onnx/technical/float4.html
public protocol SmallFloat: TensorElement, Hashable {
    /// The encoding of numbers as bits.
    static var encoding: SmallFloatEncoding { get }
    /// The bits, in the low end.
    var bits: UInt8 { get }
    /// Makes a number from its bits.
    init(bits: UInt8)
}

/// The encoding of small floating-point numbers: from the highest bit, a sign, an exponent and a fraction.
public struct SmallFloatEncoding: Sendable {
    /// The values of an encoding that are not finite numbers.
    public enum Specials: Sendable {
        /// Infinities and NaN, where all bits of the exponent are set, as in IEEE 754.
        case infinitiesAndNaN
        /// NaN, where all bits but the sign are set.
        case nan
        /// A single NaN, encoded as negative zero would be.
        case nanAsNegativeZero
        /// Nothing.
        case none
    }

    let exponentBits: Int
    let fractionBits: Int
    let bias: Int
    let specials: Specials
    /// The largest finite number.
    let largest: Double

    init(exponentBits: Int, fractionBits: Int, bias: Int, specials: Specials) {
        self.exponentBits = exponentBits
        self.fractionBits = fractionBits
        self.bias = bias
        self.specials = specials
        let one = 1 << fractionBits
        let topExponent = (1 << exponentBits) - 1 - bias - (specials == .infinitiesAndNaN ? 1 : 0)
        let topFraction = specials == .nan ? 2 * one - 2 : 2 * one - 1
        largest = scalbn(Double(topFraction), Int32(topExponent - fractionBits))
    }

    private var signBit: UInt8 { 1 << UInt8(exponentBits + fractionBits) }
    private var magnitudeMask: UInt8 { signBit - 1 }
    private var infinity: UInt8 { UInt8((1 << exponentBits) - 1) << UInt8(fractionBits) }

    private var nan: UInt8? {
        switch specials {
        case .infinitiesAndNaN, .nan: magnitudeMask
        case .nanAsNegativeZero: signBit
        case .none: nil
        }
    }

    func number(_ bits: UInt8) -> Double {
        let magnitude = bits & magnitudeMask
        let isNegative = bits & signBit != 0
        switch specials {
        case .infinitiesAndNaN where magnitude >= infinity:
            return magnitude > infinity ? .nan : isNegative ? -.infinity : .infinity
        case .nan where magnitude == magnitudeMask: return .nan
        case .nanAsNegativeZero where isNegative && magnitude == 0: return .nan
        default: break
        }
        let exponent = Int(magnitude) >> fractionBits
        let fraction = Int(magnitude) & (1 << fractionBits - 1)
        let significand = exponent == 0 ? fraction : fraction + 1 << fractionBits
        let value = scalbn(Double(significand), Int32(max(exponent, 1) - bias - fractionBits))
        return isNegative ? -value : value
    }

    /// The bits of the nearest number, ties to even.
    ///
    /// NaN becomes a negative zero in encodings without NaN.
    ///
    /// - Parameter saturates: Whether a number that is too large, such as infinity, becomes the largest finite number.
    ///   Otherwise it becomes infinity, or NaN in encodings without infinity.
    func bits(_ value: Double, saturates: Bool) -> UInt8 {
        let sign: UInt8 = value.sign == .minus ? signBit : 0
        if value.isNaN { return nan.map { specials == .nanAsNegativeZero ? $0 : $0 | sign } ?? signBit }
        let magnitude = value.magnitude
        let exponent = magnitude.isFinite && magnitude > 0 ? max(Int(magnitude.exponent), 1 - bias) : 1 - bias
        let steps = scalbn(magnitude, Int32(fractionBits - exponent)).rounded(.toNearestOrEven)
        guard magnitude.isFinite, scalbn(steps, Int32(exponent - fractionBits)) <= largest else {
            if saturates || specials == .none { return sign | largestBits }
            return specials == .infinitiesAndNaN
                ? sign | infinity : specials == .nanAsNegativeZero ? signBit : sign | magnitudeMask
        }
        // Rounding up to the next power of two carries into the exponent.
        let bits = UInt8((exponent + bias - 1) << fractionBits + Int(steps))
        return bits == 0 && specials == .nanAsNegativeZero ? 0 : sign | bits
    }

    private var largestBits: UInt8 {
        switch specials {
        case .infinitiesAndNaN: infinity - 1
        case .nan: magnitudeMask - 1
        case .nanAsNegativeZero, .none: magnitudeMask
        }
    }
}

extension SmallFloat {
    public init(saturating value: Double) { self.init(bits: Self.encoding.bits(value, saturates: true)) }
    public init(saturating value: Int64) { self.init(saturating: Double(value)) }
    /// Makes the nearest number. A number that is too large becomes infinity, or NaN in encodings without infinity.
    package init(overflowing value: Double) { self.init(bits: Self.encoding.bits(value, saturates: false)) }
    public var doubleValue: Double { Self.encoding.number(bits) }
    public var int64Value: Int64 { Int64(saturating: doubleValue) }
}

/// Four bits of exponent and three of fraction, without infinities.
public struct Float8E4M3FN: SmallFloat {
    public static let elementType = ElementType.float8e4m3fn
    public static let encoding = SmallFloatEncoding(exponentBits: 4, fractionBits: 3, bias: 7, specials: .nan)
    public let bits: UInt8
    public init(bits: UInt8) { self.bits = bits }
}

/// Four bits of exponent and three of fraction, without infinities and negative zero.
public struct Float8E4M3FNUZ: SmallFloat {
    public static let elementType = ElementType.float8e4m3fnuz
    public static let encoding = SmallFloatEncoding(
        exponentBits: 4, fractionBits: 3, bias: 8, specials: .nanAsNegativeZero)
    public let bits: UInt8
    public init(bits: UInt8) { self.bits = bits }
}

/// Five bits of exponent and two of fraction.
public struct Float8E5M2: SmallFloat {
    public static let elementType = ElementType.float8e5m2
    public static let encoding = SmallFloatEncoding(
        exponentBits: 5, fractionBits: 2, bias: 15, specials: .infinitiesAndNaN)
    public let bits: UInt8
    public init(bits: UInt8) { self.bits = bits }
}

/// Five bits of exponent and two of fraction, without infinities and negative zero.
public struct Float8E5M2FNUZ: SmallFloat {
    public static let elementType = ElementType.float8e5m2fnuz
    public static let encoding = SmallFloatEncoding(
        exponentBits: 5, fractionBits: 2, bias: 16, specials: .nanAsNegativeZero)
    public let bits: UInt8
    public init(bits: UInt8) { self.bits = bits }
}

/// Two bits of exponent and one of fraction, without infinities and NaN.
public struct Float4E2M1: SmallFloat {
    public static let elementType = ElementType.float4e2m1
    public static let encoding = SmallFloatEncoding(exponentBits: 2, fractionBits: 1, bias: 1, specials: .none)
    public let bits: UInt8
    public init(bits: UInt8) { self.bits = bits }
}

/// A power of two: eight bits of exponent, without sign and fraction.
public struct Float8E8M0: TensorElement, Hashable {
    public static let elementType = ElementType.float8e8m0
    /// The exponent plus 127; 255 is NaN.
    public let bits: UInt8

    /// Makes a number from its bits.
    public init(bits: UInt8) { self.bits = bits }

    /// Rounds to a power of two: away from zero, towards zero, or to nearest with ties upwards.
    package init(_ value: Double, rounding: FloatingPointRoundingRule) {
        let magnitude = value.magnitude
        guard magnitude.isFinite else {
            bits = magnitude.isNaN ? 255 : 254
            return
        }
        guard magnitude > 0 else {
            bits = 0
            return
        }
        let isUp: Bool =
            switch rounding {
            case .up, .awayFromZero: magnitude.significand > 1
            case .down, .towardZero: false
            default: magnitude.significand >= 1.5
            }
        bits = UInt8(min(max(Int(magnitude.exponent) + 127 + (isUp ? 1 : 0), 0), 254))
    }

    public init(saturating value: Double) { self.init(value, rounding: .up) }
    public init(saturating value: Int64) { self.init(saturating: Double(value)) }
    public var doubleValue: Double { bits == 255 ? .nan : scalbn(1, Int32(bits) - 127) }
    public var int64Value: Int64 { Int64(saturating: doubleValue) }
}
