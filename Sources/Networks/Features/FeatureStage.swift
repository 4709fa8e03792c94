/// A model of named features that is not a neural network, and is evaluated directly.
package protocol FeatureStage: Sendable {
    /// - Parameter inputs: A value for each input of the model's description that is not optional.
    /// - Returns: A value for each output.
    func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue]

    /// The outputs that hold a classifier's answer; nil when the model is not a classifier.
    var classifier: ClassifierOutputs? { get }
}

extension FeatureStage {
    package var classifier: ClassifierOutputs? { nil }
}

/// The inputs of a stage in their order. Most kinds of models compute with them as one vector.
package struct FeatureInputs: Sendable {
    package let names: [String]

    package init(_ names: [String]) { self.names = names }

    /// The concatenated numbers of all inputs.
    package func vector(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [Double] {
        var vector: [Double] = []
        for name in names {
            guard let value = inputs[name] else { throw .input("feature \"\(name)\" is missing") }
            guard let numbers = value.numbers else {
                throw .input("feature \"\(name)\" is \(value.kind); numbers are expected")
            }
            vector += numbers
        }
        return vector
    }

    /// The concatenated numbers of all inputs, which must be `count`.
    package func vector(_ inputs: [String: FeatureValue], count: Int) throws(FeatureError) -> [Double] {
        let vector = try vector(inputs)
        guard vector.count == count else { throw .input("\(vector.count) numbers are given; the model takes \(count)") }
        return vector
    }

    /// The value of the only input.
    package func single(_ inputs: [String: FeatureValue]) throws(FeatureError) -> FeatureValue {
        guard let name = names.first, names.count == 1 else {
            throw .model("has \(names.count) inputs; 1 is expected")
        }
        guard let value = inputs[name] else { throw .input("feature \"\(name)\" is missing") }
        return value
    }
}

/// The outputs that hold a classifier's answer, and its classes.
package struct ClassifierOutputs: Sendable {
    package let labels: [FeatureKey]
    /// The output that holds the label of the likeliest class.
    package let labelName: String
    /// The output that holds the probabilities; empty when there is none.
    package let probabilitiesName: String

    package init(labels: [FeatureKey], labelName: String, probabilitiesName: String) {
        self.labels = labels
        self.labelName = labelName
        self.probabilitiesName = probabilitiesName
    }

    /// The outputs for the probabilities of all classes.
    ///
    /// - Parameter choice: The index of the class to answer; nil for the likeliest.
    package func values(_ probabilities: [Double], choice: Int? = nil) throws(FeatureError) -> [String: FeatureValue] {
        guard probabilities.count == labels.count, let first = probabilities.first else {
            throw .model("has \(labels.count) classes, but gives \(probabilities.count) probabilities")
        }
        var (best, most) = (0, first)
        for (index, probability) in probabilities.enumerated() where probability > most {
            (best, most) = (index, probability)
        }
        var outputs: [String: FeatureValue] = [labelName: labels[choice ?? best].value]
        if !probabilitiesName.isEmpty {
            outputs[probabilitiesName] = .dictionary(
                Dictionary(zip(labels, probabilities), uniquingKeysWith: { first, _ in first }))
        }
        return outputs
    }
}
