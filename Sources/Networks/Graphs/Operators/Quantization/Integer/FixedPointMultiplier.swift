/// A positive factor as a 32-bit fraction and a power of two: value · 2^(shift − 31).
///
/// Reference: https://arxiv.org/abs/1712.05877, section 2.2.
package struct FixedPointMultiplier: Sendable, Hashable {
    /// The fraction, from 2³⁰ up to 2³¹ − 1; 0 when the factor is too small.
    package var value: Int32
    /// The exponent, from −31 to 30.
    package var shift: Int32

    init(value: Int32, shift: Int32) {
        (self.value, self.shift) = (value, shift)
    }

    /// Makes the multiplier nearest to a factor.
    ///
    /// - Throws: ``OperatorError`` when the factor is negative, not finite, or at least 2³⁰.
    package init(_ factor: Double) throws(OperatorError) {
        guard factor.isFinite, factor >= 0, factor < 0x1p30 else {
            throw .invalid("scales give the factor \(factor); a number from 0 up to 2³⁰ is expected")
        }
        (value, shift) = (0, 0)
        guard factor > 0 else { return }
        var exponent = factor.exponent + 1
        var fraction = Int64((factor.significand / 2 * 0x1p31).rounded(.toNearestOrAwayFromZero))
        if fraction == 1 << 31 { (fraction, exponent) = (1 << 30, exponent + 1) }
        guard exponent >= -31 else { return }
        (value, shift) = (Int32(fraction), Int32(exponent))
    }

    /// round(round(x · 2^max(shift, 0) · value / 2³¹) / 2^max(−shift, 0)), halves up in the first rounding and away
    /// from zero in the second.
    @inline(__always)
    package func callAsFunction(_ x: Int32) -> Int32 {
        let shifted = shift > 0 ? x &<< shift : x
        return Self.roundingShift(Self.highProduct(shifted, value), by: shift > 0 ? 0 : -shift)
    }

    /// round(x · round(value / 2¹⁶) · 2^(shift − 15)), halves up, for sums of more than 32 bits.
    @inline(__always)
    package func callAsFunction(wide x: Int64) -> Int32 {
        let reduced = value < 0x7FFF_0000 ? (value &+ 1 << 15) >> 16 : 0x7FFF
        let total = Int64(15 - shift)
        return Int32(truncatingIfNeeded: (x &* Int64(reduced) &+ 1 << (total - 1)) >> total)
    }

    /// round(x · value · 2^(shift − 31)), halves up.
    @inline(__always)
    package func callAsFunction(once x: Int64) -> Int32 {
        let total = Int64(31 - shift)
        return Int32(truncatingIfNeeded: (x &* Int64(value) &+ 1 << (total - 1)) >> total)
    }

    /// round(a · b / 2³¹), halves up; the only product that overflows becomes the largest integer.
    @inline(__always)
    package static func highProduct(_ a: Int32, _ b: Int32) -> Int32 {
        if a == b && a == .min { return .max }
        let product = Int64(a) * Int64(b)
        let nudge: Int64 = product >= 0 ? 1 << 30 : 1 - 1 << 30
        return Int32(truncatingIfNeeded: (product + nudge) / (1 << 31))
    }

    /// round(x / 2^exponent), halves away from zero.
    @inline(__always)
    package static func roundingShift(_ x: Int32, by exponent: Int32) -> Int32 {
        let mask = Int32(truncatingIfNeeded: (Int64(1) << Int64(exponent)) - 1)
        let remainder = x & mask
        let threshold = mask >> 1 &+ (x < 0 ? 1 : 0)
        return x >> exponent &+ (remainder > threshold ? 1 : 0)
    }
}
