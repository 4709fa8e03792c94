/// The mean and the inverse standard deviation of some numbers.
struct Moments {
    let mean: Double
    /// 1 / √(variance + epsilon)
    let inverseDeviation: Double

    init(_ values: ArraySlice<Double>, epsilon: Double) {
        let count = Double(max(values.count, 1))
        let mean = values.reduce(0, +) / count
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
        self.mean = mean
        inverseDeviation = 1 / (variance + epsilon).squareRoot()
    }
}
