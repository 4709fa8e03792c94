/// Statistics of a list of times, in seconds.
public struct TimeStatistics: Sendable, Hashable, Codable {
    /// The number of times.
    public let count: Int
    /// The shortest time.
    public let minimum: Double
    /// The longest time.
    public let maximum: Double
    /// The sum divided by ``count``.
    public let mean: Double
    /// The median.
    public let p50: Double
    /// The 90th percentile.
    public let p90: Double
    /// The 99th percentile.
    public let p99: Double
    /// The standard deviation of a sample, with the divisor ``count`` − 1; 0 for a single time.
    public let standardDeviation: Double

    /// - Returns: The statistics; nil without times.
    public init?(seconds: [Double]) {
        let sorted = seconds.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        count = sorted.count
        (minimum, maximum) = (first, last)
        let mean = sorted.reduce(0, +) / Double(sorted.count)
        self.mean = mean
        p50 = Self.quantile(0.5, of: sorted)
        p90 = Self.quantile(0.9, of: sorted)
        p99 = Self.quantile(0.99, of: sorted)
        let squares = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        standardDeviation = sorted.count > 1 ? (squares / Double(sorted.count - 1)).squareRoot() : 0
    }

    /// The quantile of sorted numbers, interpolated linearly: definition 7 of Hyndman and Fan, NumPy's default.
    /// https://doi.org/10.2307/2684934
    static func quantile(_ part: Double, of sorted: [Double]) -> Double {
        guard let last = sorted.last else { return 0 }
        let position = part * Double(sorted.count - 1)
        let index = Int(position)
        guard index + 1 < sorted.count else { return last }
        return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
    }
}
