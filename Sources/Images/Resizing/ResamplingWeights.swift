import CPUKernels

/// The source positions of every target position along one axis, and their weights.
///
/// Weights are fixed-point numbers with 22 fractional bits: of 32 bits, 8 are for the result and 2 for sign and
/// overshoot.
struct ResamplingWeights {
    static let fractionalBits: Int32 = 32 - 8 - 2

    struct Taps {
        /// The first source position.
        var first: Int
        /// The position of the first weight in ``ResamplingWeights/weights``.
        var offset: Int
        /// The number of source positions.
        var count: Int
    }

    /// The taps of each target position of the window.
    private(set) var taps: [Taps] = []
    private(set) var weights: [Int32] = []

    /// The range of all source positions of the window.
    var sourceRange: Range<Int> {
        guard let first = taps.first, let last = taps.last else { return 0..<0 }
        return first.first..<last.first + last.count
    }

    /// The taps and weights in the form that `apus_resample_row` takes, for rows that begin with column `firstColumn`.
    func pairs(firstColumn: Int) -> (taps: [apus_resampling_taps], weights: [Int16]) {
        var result: [Int16] = []
        let pairs = taps.map { tap in
            let offset = result.count
            for pair in stride(from: 0, to: tap.count, by: 2) {
                let two = [weights[tap.offset + pair], pair + 1 < tap.count ? weights[tap.offset + pair + 1] : 0]
                result += two.map { Int16(truncatingIfNeeded: $0 & (1 << APUS_RESAMPLING_LOW_BITS - 1)) }
                result += two.map { Int16(truncatingIfNeeded: $0 >> APUS_RESAMPLING_LOW_BITS) }
            }
            return apus_resampling_taps(first: tap.first - firstColumn, offset: offset, pair_count: (tap.count + 1) / 2)
        }
        return (pairs, result)
    }

    /// Computes the weights that resize `sourceCount` positions to `targetCount`, for the target positions in `window`.
    init(_ filter: ResamplingFilter, from sourceCount: Int, to targetCount: Int, window: Range<Int>) {
        // Pillow keeps the source extent in single precision.
        let scale = Double(Float(sourceCount)) / Double(targetCount)
        let filterScale = max(scale, 1)
        let support = filter.support * filterScale
        let inverse = 1 / filterScale
        let one = Double(1 << Self.fractionalBits)
        var exact: [Double] = []
        taps.reserveCapacity(window.count)
        for target in window {
            let center = (Double(target) + 0.5) * scale
            let first = max(Int(center - support + 0.5), 0)
            let end = min(Int(center + support + 0.5), sourceCount)
            exact.removeAll(keepingCapacity: true)
            var sum = 0.0
            for source in 0..<max(end - first, 0) {
                let weight = filter.weight((Double(source + first) - center + 0.5) * inverse)
                exact.append(weight)
                sum += weight
            }
            taps.append(Taps(first: first, offset: weights.count, count: exact.count))
            for weight in exact {
                let normalized = (sum == 0 ? weight : weight / sum) * one
                weights.append(Int32(normalized < 0 ? normalized - 0.5 : normalized + 0.5))
            }
        }
    }
}
