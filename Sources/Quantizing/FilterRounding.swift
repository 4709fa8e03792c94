/// How the weights of one output channel become integers of 8 bits.
package enum FilterRounding {
    /// Rounds to the nearest, and then some weights the other way, those first that are nearly in the middle, until the
    /// errors nearly cancel for the mean input.
    ///
    /// With errors eₖ and means μₖ, Σ eₖ · μₖ is what rounding adds to the mean result. Where values are not negative, an
    /// input is much like a multiple of the mean, so that the same sum is most of every result's error.
    ///
    /// - Parameters:
    ///   - weights: Weights over their scale, from −127 to 127.
    ///   - means: The mean of the input that each is multiplied with.
    package static func round(_ weights: [Double], means: [Double]) -> [Int8] {
        var integers = weights.map { min(max($0.rounded(.toNearestOrEven), -127), 127) }
        let errors = zip(integers, weights).map { $0 - $1 }
        var sum = zip(errors, means).reduce(0) { $0 + $1.0 * $1.1 }
        // A weight that moves against its error by 1 takes |μₖ| off |sum|, and makes its own error 1 − |eₖ|.
        let movable = integers.indices.filter { errors[$0] * means[$0] * sum > 0 }
            .map { (index: $0, loss: (1 - 2 * abs(errors[$0])) / abs(means[$0])) }
            .sorted { ($0.loss, $0.index) < ($1.loss, $1.index) }
        for (index, _) in movable where abs(sum) > abs(means[index]) / 2 {
            let step: Double = errors[index] > 0 ? -1 : 1
            guard abs(integers[index] + step) <= 127, step * means[index] * sum < 0 else { continue }
            integers[index] += step
            sum += step * means[index]
        }
        return integers.map { Int8($0) }
    }
}
