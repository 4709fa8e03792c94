#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A generator of 64 random bits, the same on every machine: SplitMix64.
///
/// Reference: Steele, Lea, Flood, 2014, https://doi.org/10.1145/2660193.2660195
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// A number in [0, 1).
    package mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// Normally distributed numbers with mean 0 and deviation 1, from the Box–Muller transform.
package struct NormalNumbers: Sendable {
    private var generator: SplitMix64
    private var spare: Double?

    /// Makes a generator whose numbers depend on a seed and the name of their purpose.
    package init(seed: UInt64, stream: String) {
        // The FNV-1a hash of the name's bytes.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in stream.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var seeds = SplitMix64(seed: seed)
        generator = SplitMix64(seed: seeds.next() ^ hash)
    }

    package mutating func next() -> Double {
        if let value = spare {
            spare = nil
            return value
        }
        let radius = (-2 * log(1 - generator.nextUnit())).squareRoot()
        let angle = 2 * Double.pi * generator.nextUnit()
        spare = radius * sin(angle)
        return radius * cos(angle)
    }
}
