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

    /// The taps and weights in the form that `apus_resample_rows` takes, for rows that begin with column `firstColumn`.
    func pairs(firstColumn: Int) -> (taps: [apus_resampling_taps], weights: [Int16]) {
        var result: [Int16] = []
        // Each tap has fewer than 4 pixels of weight 0.
        result.reserveCapacity(2 * (weights.count + 4 * taps.count))
        let pairs = taps.map { tap in
            let (offset, pairCount) = (result.count, (tap.count + 3) / 4 * 2)
            func weight(_ index: Int) -> Int32 { index < tap.count ? weights[tap.offset + index] : 0 }
            for first in stride(from: 0, to: 2 * pairCount, by: 2) {
                for index in first...first + 1 {
                    result.append(Int16(truncatingIfNeeded: weight(index) & (1 << APUS_RESAMPLING_LOW_BITS - 1)))
                }
                for index in first...first + 1 {
                    result.append(Int16(truncatingIfNeeded: weight(index) >> APUS_RESAMPLING_LOW_BITS))
                }
            }
            return apus_resampling_taps(first: tap.first - firstColumn, offset: offset, pair_count: pairCount)
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
