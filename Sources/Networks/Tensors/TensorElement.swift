/// A Swift type that can be a tensor's element.
///
/// Conversions never trap. Floating-point values convert to integers by truncation and saturate at the ends of the
/// range; NaN becomes zero. Integers convert to narrower integers by saturation.
public protocol TensorElement: Sendable, BitwiseCopyable {
    /// The element type this Swift type represents.
    static var elementType: ElementType { get }
    /// Converts from a floating-point number.
    init(saturating value: Double)
    /// Converts from an integer.
    init(saturating value: Int64)
    /// The element as a floating-point number.
    var doubleValue: Double { get }
    /// The element as a signed integer.
    var int64Value: Int64 { get }
}

extension TensorElement where Self: BinaryFloatingPoint {
    public init(saturating value: Double) { self.init(value) }
    public init(saturating value: Int64) { self.init(value) }
    public var doubleValue: Double { Double(self) }
    public var int64Value: Int64 { Int64(saturating: Double(self)) }
}

extension TensorElement where Self: FixedWidthInteger {
    public init(saturating value: Double) {
        if value.isNaN {
            self = 0
        } else if value <= Double(Self.min) {
            self = .min
        } else if value >= Double(Self.max) {
            self = .max
        } else {
            self = Self(value)
        }
    }
    public init(saturating value: Int64) { self.init(clamping: value) }
    public var doubleValue: Double { Double(self) }
    public var int64Value: Int64 { Int64(clamping: self) }
}

extension Float: TensorElement { public static var elementType: ElementType { .float32 } }
extension Float16: TensorElement { public static var elementType: ElementType { .float16 } }
extension Double: TensorElement { public static var elementType: ElementType { .float64 } }
extension Int8: TensorElement { public static var elementType: ElementType { .int8 } }
extension UInt8: TensorElement { public static var elementType: ElementType { .uint8 } }
extension Int16: TensorElement { public static var elementType: ElementType { .int16 } }
extension UInt16: TensorElement { public static var elementType: ElementType { .uint16 } }
extension Int32: TensorElement { public static var elementType: ElementType { .int32 } }
extension UInt32: TensorElement { public static var elementType: ElementType { .uint32 } }
extension Int64: TensorElement { public static var elementType: ElementType { .int64 } }
extension UInt64: TensorElement { public static var elementType: ElementType { .uint64 } }

extension Bool: TensorElement {
    public static var elementType: ElementType { .bool }
    public init(saturating value: Double) { self = value != 0 }
    public init(saturating value: Int64) { self = value != 0 }
    public var doubleValue: Double { self ? 1 : 0 }
    public var int64Value: Int64 { self ? 1 : 0 }
}
