/// A hash of 128 bits that is the same in every process and on every machine. It tells apart things that differ by
/// accident, not things made to collide.
///
/// state ← (state xor word) · K mod 2¹²⁸, then state ← state xor (state >> 67), for each word of 8 bytes; K is 2¹²⁸
/// over the golden ratio, made odd.
package struct StableHash {
    private static let multiplier: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
    private var state: UInt128 = multiplier

    package init() {}

    /// Adds a piece; where pieces end matters.
    package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        combine(UInt64(bytes.count))
        let wholeByteCount = bytes.count & ~7
        for offset in stride(from: 0, to: wholeByteCount, by: 8) {
            combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        guard wholeByteCount < bytes.count else { return }
        var last: UInt64 = 0
        for offset in wholeByteCount..<bytes.count { last |= UInt64(bytes[offset]) << (8 * UInt64(offset & 7)) }
        combine(last)
    }

    /// Adds a text.
    package mutating func combine(_ text: String) {
        var text = text
        text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
    }

    /// Adds a number.
    package mutating func combine(_ word: UInt64) {
        state = (state ^ UInt128(word)) &* Self.multiplier
        state ^= state >> 67
    }

    /// The hash of what was added.
    package var value: UInt128 {
        let mixed = (state ^ state >> 64) &* Self.multiplier
        return mixed ^ mixed >> 64
    }

    /// The hash as 32 hexadecimal digits.
    package var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The hash of a text.
    package static func value(of text: String) -> UInt128 {
        var hash = StableHash()
        hash.combine(text)
        return hash.value
    }
}
