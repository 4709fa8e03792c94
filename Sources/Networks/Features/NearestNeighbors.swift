/// Gives the class that most of the nearest samples have.
package struct NearestNeighbors: FeatureStage {
    package enum Weighting: Sendable { case uniform, inverseDistance }

    let inputs: FeatureInputs
    let samples: [[Float]]
    /// The class of each sample.
    let labels: [FeatureKey]
    let count: Int
    let weighting: Weighting
    /// The answer where there are no samples.
    let fallback: FeatureKey?
    let labelName: String
    let probabilitiesName: String

    package init(
        inputs: FeatureInputs, samples: [[Float]], labels: [FeatureKey], count: Int, weighting: Weighting,
        fallback: FeatureKey?, labelName: String, probabilitiesName: String
    ) throws(FeatureError) {
        guard samples.count == labels.count, count > 0 else {
            throw .model("has \(samples.count) samples with \(labels.count) labels, and asks for \(count) neighbors")
        }
        self.inputs = inputs
        self.samples = samples
        self.labels = labels
        self.count = count
        self.weighting = weighting
        self.fallback = fallback
        self.labelName = labelName
        self.probabilitiesName = probabilitiesName
    }

    package var classifier: ClassifierOutputs? {
        let classes = Set(labels + [fallback].compactMap { $0 }).sorted()
        return ClassifierOutputs(labels: classes, labelName: labelName, probabilitiesName: probabilitiesName)
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let x = try inputs.vector(values)
        var distances: [(distance: Double, index: Int)] = []
        for (index, sample) in samples.enumerated() {
            guard sample.count == x.count else {
                throw .input("\(x.count) numbers are given; the model takes \(sample.count)")
            }
            let distance = zip(x, sample).reduce(0) { sum, pair in
                let difference = pair.0 - Double(pair.1)
                return sum + difference * difference
            }
            distances.append((distance, index))
        }
        let nearest = distances.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }.prefix(count)
        var weights: [FeatureKey: Double] = [:]
        for (distance, index) in nearest {
            let weight = weighting == .uniform ? 1 : 1 / max(distance.squareRoot(), 1e-12)
            weights[labels[index], default: 0] += weight
        }
        guard let most = weights.values.max(), let best = weights.filter({ $0.value == most }).keys.min() else {
            guard let fallback else { throw .model("has no samples") }
            return [labelName: fallback.value]
        }
        var outputs: [String: FeatureValue] = [labelName: best.value]
        if !probabilitiesName.isEmpty {
            let sum = weights.values.reduce(0, +)
            var probabilities = Dictionary(labels.map { ($0, 0.0) }, uniquingKeysWith: { first, _ in first })
            for (key, weight) in weights { probabilities[key] = weight / sum }
            outputs[probabilitiesName] = .dictionary(probabilities)
        }
        return outputs
    }
}
