import Features
import Graphs

/// A model of named features, as a file holds it.
package struct ImportedFeatureModel: Sendable {
    /// What gives the outputs.
    package enum Content: Sendable {
        case stage(any FeatureStage)
        case network(ImportedModel, NetworkFeatures)
        /// Models of which each reads what the inputs and those before it give.
        case pipeline([ImportedFeatureModel])
    }

    package var kind: String
    package var inputs: [FeatureDescription]
    package var outputs: [FeatureDescription]
    package var metadata: [String: String]
    package var content: Content
}

/// What a network's outputs mean among features.
package struct NetworkFeatures: Sendable {
    /// Where the class goes, for a network that is a classifier.
    package var classifier: ClassifierOutputs?
}
