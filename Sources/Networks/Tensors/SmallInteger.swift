/// An integer of two or four bits, stored in a byte of its own.
public protocol SmallInteger: TensorElement, Hashable {
    /// The range of values.
    static var range: ClosedRange<Int8> { get }
    /// The value, within ``range``.
    var value: Int8 { get }
    /// Makes an integer from the low bits of `value`.
    init(truncating value: Int64)
}

extension SmallInteger {
    private static var bitCount: Int {
        range.upperBound.bitWidth - range.upperBound.leadingZeroBitCount + (isSigned ? 1 : 0)
    }
    private static var isSigned: Bool { range.lowerBound < 0 }

    /// The value of this type that has the low bits of `value`.
    fileprivate static func truncated(_ value: Int64) -> Int8 {
        let bits = value & (1 << Int64(bitCount) - 1)
        return Int8(bits > Int64(range.upperBound) ? bits - 1 << Int64(bitCount) : bits)
    }

    public init(saturating value: Double) {
        let whole = Int64(saturating: value)
        self.init(saturating: whole)
    }
    public init(saturating value: Int64) {
        self.init(truncating: min(max(value, Int64(Self.range.lowerBound)), Int64(Self.range.upperBound)))
    }
    public var doubleValue: Double { Double(value) }
    public var int64Value: Int64 { Int64(value) }
}

/// A signed integer of four bits, from −8 to 7.
public struct Int4: SmallInteger {
    public static let elementType = ElementType.int4
    public static let range: ClosedRange<Int8> = -8...7
    public let value: Int8
    public init(truncating value: Int64) { self.value = Self.truncated(value) }
}

/// An unsigned integer of four bits, from 0 to 15.
public struct UInt4: SmallInteger {
    public static let elementType = ElementType.uint4
    public static let range: ClosedRange<Int8> = 0...15
    public let value: Int8
    public init(truncating value: Int64) { self.value = Self.truncated(value) }
}

/// A signed integer of two bits, from −2 to 1.
public struct Int2: SmallInteger {
    public static let elementType = ElementType.int2
    public static let range: ClosedRange<Int8> = -2...1
    public let value: Int8
    public init(truncating value: Int64) { self.value = Self.truncated(value) }
}

/// An unsigned integer of two bits, from 0 to 3.
public struct UInt2: SmallInteger {
    public static let elementType = ElementType.uint2
    public static let range: ClosedRange<Int8> = 0...3
    public let value: Int8
    public init(truncating value: Int64) { self.value = Self.truncated(value) }
}
