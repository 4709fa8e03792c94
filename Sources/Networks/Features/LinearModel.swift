#if canImport(Glibc)
    import Glibc
#endif

/// A generalised linear model: y = f(W · x + b).
package struct LinearModel: Sendable {
    package enum Link: Sendable {
        case identity
        /// 1 / (1 + e⁻ᶻ)
        case logit
        /// The cumulative normal distribution at z.
        case probit

        func callAsFunction(_ z: Double) -> Double {
            switch self {
            case .identity: z
            case .logit: z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z))
            case .probit: erfc(-z / 2.0.squareRoot()) / 2
            }
        }
    }

    package let weights: [[Double]]
    package let offsets: [Double]
    package let link: Link
    package let inputs: FeatureInputs

    /// - Throws: ``FeatureError/model(_:)`` when the numbers of offsets and rows differ, or rows differ in length.
    package init(weights: [[Double]], offsets: [Double], link: Link, inputs: FeatureInputs) throws(FeatureError) {
        guard let first = weights.first, weights.allSatisfy({ $0.count == first.count }) else {
            throw .model("the rows of the weights differ in length, or there are none")
        }
        guard offsets.count == weights.count else {
            throw .model("has \(weights.count) rows of weights and \(offsets.count) offsets")
        }
        self.weights = weights
        self.offsets = offsets
        self.link = link
        self.inputs = inputs
    }

    /// W · x + b
    func scores(_ values: [String: FeatureValue]) throws(FeatureError) -> [Double] {
        let x = try inputs.vector(values, count: weights[0].count)
        return zip(weights, offsets).map { row, offset in zip(row, x).reduce(offset) { $0 + $1.0 * $1.1 } }
    }
}

/// A linear model whose output is numbers.
package struct LinearRegressor: FeatureStage {
    let model: LinearModel
    let output: String

    package init(_ model: LinearModel, output: String) {
        self.model = model
        self.output = output
    }

    package func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let results = try model.scores(inputs).map { model.link($0) }
        return [output: results.count == 1 ? .double(results[0]) : try .array(results)]
    }
}

/// A linear model whose output is a class.
package struct LinearClassifier: FeatureStage {
    package enum Encoding: Sendable {
        /// The first class has no row: its score is 0.
        case referenceClass
        /// Each class has a row that tells it from all others.
        case oneVersusRest
    }

    let model: LinearModel
    let encoding: Encoding
    let outputs: ClassifierOutputs

    package init(_ model: LinearModel, encoding: Encoding, outputs: ClassifierOutputs) throws(FeatureError) {
        let expected = model.weights.count + (encoding == .referenceClass || model.weights.count == 1 ? 1 : 0)
        guard outputs.labels.count == expected else {
            throw .model("has \(model.weights.count) rows of weights for \(outputs.labels.count) classes")
        }
        self.model = model
        self.encoding = encoding
        self.outputs = outputs
    }

    package var classifier: ClassifierOutputs? { outputs }

    package func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let scores = try model.scores(inputs)
        if scores.count == 1 {
            let positive = model.link(scores[0])
            return try outputs.values([1 - positive, positive])
        }
        switch encoding {
        case .referenceClass: return try outputs.values(Probabilities.softmax([0] + scores))
        case .oneVersusRest: return try outputs.values(Probabilities.normalized(scores.map { model.link($0) }))
        }
    }
}

/// Functions that turn numbers into probabilities.
enum Probabilities {
    static func softmax(_ scores: [Double]) -> [Double] {
        let largest = scores.max() ?? 0
        return normalized(scores.map { exp($0 - largest) })
    }

    static func normalized(_ weights: [Double]) -> [Double] {
        let sum = weights.reduce(0, +)
        return sum > 0 ? weights.map { $0 / sum } : weights.map { _ in 1 / Double(weights.count) }
    }
}
