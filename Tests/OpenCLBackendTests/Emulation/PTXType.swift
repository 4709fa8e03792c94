/// The type of a register or of memory.
struct PTXType: Sendable {
    let width: Int
    let isSigned: Bool
    let isFloat: Bool

    init?(_ name: String) {
        if name == "pred" {
            (width, isSigned, isFloat) = (1, false, false)
            return
        }
        guard let letter = name.first, "usbf".contains(letter), let width = Int(name.dropFirst()) else { return nil }
        (self.width, isSigned, isFloat) = (width, letter == "s", letter == "f")
    }

    private var mask: UInt64 { width == 64 ? .max : 1 << width - 1 }

    /// The lowest bits, of which the number consists.
    func bits(_ value: UInt64) -> UInt64 { value & mask }

    /// The number with its sign, or without.
    func integer(_ value: UInt64) -> Int64 {
        isSigned ? Int64(bitPattern: value << (64 - width)) >> (64 - width) : Int64(bitPattern: value & mask)
    }

    func read(_ pointer: UnsafeRawPointer) -> UInt64 {
        let value: UInt64 =
            switch width {
            case 8: UInt64(pointer.load(as: UInt8.self))
            case 16: UInt64(pointer.load(as: UInt16.self))
            case 32: UInt64(pointer.load(as: UInt32.self))
            default: pointer.load(as: UInt64.self)
            }
        return isSigned ? UInt64(bitPattern: integer(value)) : value
    }

    func write(_ value: UInt64, _ pointer: UnsafeMutableRawPointer) {
        switch width {
        case 8: pointer.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
        case 16: pointer.storeBytes(of: UInt16(truncatingIfNeeded: value), as: UInt16.self)
        case 32: pointer.storeBytes(of: UInt32(truncatingIfNeeded: value), as: UInt32.self)
        default: pointer.storeBytes(of: value, as: UInt64.self)
        }
    }
}

extension UInt64 {
    var float: Float { Float(bitPattern: UInt32(truncatingIfNeeded: self)) }
    var half: Float16 { Float16(bitPattern: UInt16(truncatingIfNeeded: self)) }
    var double: Double { Double(bitPattern: self) }

    init(bitsOf value: Float) { self = UInt64(value.bitPattern) }
}
