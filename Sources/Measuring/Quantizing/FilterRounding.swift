/// Rounds the weights of one output channel to 8-bit integers.
package enum FilterRounding {
    /// Rounds to the nearest integer. Then rounds some weights the other way, beginning with those closest to the
    /// middle, until the errors nearly cancel for the mean input.
    ///
    /// With errors eₖ and means μₖ, Σ eₖ · μₖ is what rounding adds to the mean result. Non-negative inputs are roughly
    /// multiples of the mean, so this sum is also the main part of every result's error.
    ///
    /// - Parameters:
    ///   - weights: The weights divided by their scale, from −127 to 127.
    ///   - means: The mean of the input by which each weight is multiplied.
    package static func round(_ weights: [Double], means: [Double]) -> [Int8] {
        var integers = weights.map { min(max($0.rounded(.toNearestOrEven), -127), 127) }
        let errors = zip(integers, weights).map { $0 - $1 }
        var sum = zip(errors, means).reduce(0) { $0 + $1.0 * $1.1 }
        // Moving a weight by 1 against its error reduces |sum| by |μₖ| and makes its own error 1 − |eₖ|.
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
