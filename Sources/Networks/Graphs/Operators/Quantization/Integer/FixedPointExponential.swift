/// Exponentials, reciprocals and inverse roots of 32-bit fixed-point numbers, as gemmlowp defines them.
///
/// Reference: https://github.com/google/gemmlowp/blob/master/fixedpoint/fixedpoint.h
enum FixedPointExponential {
    /// e^a with 31 fractional bits, for a ≤ 0 with 26 fractional bits.
    static func negative(_ a: Int32) -> Int32 {
        if a == 0 { return .max }
        let quarter: Int32 = 1 << 24
        // a = quarterPart − remainder, quarterPart in [−1/4, 0).
        let quarterPart = (a & (quarter - 1)) - quarter
        var result = onQuarter(quarterPart &<< 5)
        let remainder = quarterPart &- a
        for (exponent, factor) in barrelFactors.enumerated() where remainder & (1 << (24 + Int32(exponent))) != 0 {
            result = FixedPointMultiplier.highProduct(result, factor)
        }
        return result
    }

    /// e^(−2^(k − 2)) with 31 fractional bits, for k from 0.
    private static let barrelFactors: [Int32] = [
        1_672_461_947, 1_302_514_674, 790_015_084, 290_630_308, 39_332_535, 720_401, 242,
    ]

    /// e^a for a from −1/4 up to 0, both with 31 fractional bits.
    private static func onQuarter(_ a: Int32) -> Int32 {
        let (constant, third): (Int32, Int32) = (1_895_147_668, 715_827_883)
        let x = a &+ 1 << 28
        let x2 = FixedPointMultiplier.highProduct(x, x)
        let x3 = FixedPointMultiplier.highProduct(x2, x)
        let x4 = FixedPointMultiplier.highProduct(x2, x2)
        let x4Quarter = FixedPointMultiplier.roundingShift(x4, by: 2)
        let sum = FixedPointMultiplier.highProduct(x4Quarter &+ x3, third) &+ x2
        let polynomial = FixedPointMultiplier.roundingShift(sum, by: 1)
        return saturatingSum(constant, FixedPointMultiplier.highProduct(constant, x &+ polynomial))
    }

    /// 1 / x as a fraction with 31 fractional bits, and the number of bits by which x exceeds 1.
    static func reciprocal(_ x: Int32, integerBits: Int32) -> (fraction: Int32, exponent: Int32) {
        let headroom = Int32(UInt32(bitPattern: x).leadingZeroBitCount)
        let shifted = Int32(bitPattern: (UInt32(bitPattern: x) << UInt32(headroom)) &- 1 << 31)
        return (reciprocalOfOnePlus(shifted), integerBits - headroom)
    }

    /// 1 / (1 + a) for a from 0 up to 1, both with 31 fractional bits.
    private static func reciprocalOfOnePlus(_ a: Int32) -> Int32 {
        let halfDenominator = Int32((Int64(a) + Int64(Int32.max) + 1) / 2)
        // 48/17 and −32/17 with 29 fractional bits.
        var x = 1_515_870_810 &+ FixedPointMultiplier.highProduct(halfDenominator, -1_010_580_540)
        for _ in 0..<3 {
            let product = FixedPointMultiplier.highProduct(halfDenominator, x)
            let rest = 1 << 29 &- product
            x = x &+ saturatingQuadruple(FixedPointMultiplier.highProduct(x, rest))
        }
        return saturatingDouble(x)
    }

    /// 1 / √x as a fraction with 31 fractional bits, and the shift to the right.
    static func inverseRoot(_ x: Int32) -> (fraction: Int32, shift: Int32) {
        guard x > 1 else { return (.max, 0) }
        var (x, shift): (Int32, Int32) = (x, 11)
        while x >= 1 << 29 { (x, shift) = (x / 4, shift + 1) }
        let pairs = Int32((x.leadingZeroBitCount - 1) / 2 - 1)
        shift -= pairs
        x <<= 2 * pairs
        // Newton steps r = r · (3/2 − x / 2 · r²) on numbers with 28 fractional bits.
        let half = FixedPointMultiplier.roundingShift(x >> 1, by: 1)
        let threeHalves: Int32 = 1 << 28 + 1 << 27
        var root: Int32 = 1 << 28
        for _ in 0..<5 {
            let square = FixedPointMultiplier.highProduct(root, root)
            let cube = Int32(clamping: Int64(FixedPointMultiplier.highProduct(square, root)) << 6)
            let difference =
                FixedPointMultiplier.highProduct(threeHalves, root) &- FixedPointMultiplier.highProduct(half, cube)
            root = Int32(clamping: Int64(difference) << 3)
        }
        // √2 / 2 with 31 fractional bits.
        root = FixedPointMultiplier.highProduct(root, 1_518_500_250)
        return shift < 0 ? (root << -shift, 0) : (root, shift)
    }

    private static func saturatingSum(_ a: Int32, _ b: Int32) -> Int32 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? (b < 0 ? .min : .max) : sum
    }

    private static func saturatingDouble(_ x: Int32) -> Int32 { Int32(clamping: Int64(x) * 2) }
    private static func saturatingQuadruple(_ x: Int32) -> Int32 { Int32(clamping: Int64(x) * 4) }
}
