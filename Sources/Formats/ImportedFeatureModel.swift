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

    /// The models of a pipeline in their order, those of pipelines inside it among them; otherwise the model alone.
    package var flattened: [ImportedFeatureModel] {
        guard case .pipeline(let models) = content else { return [self] }
        return models.flatMap(\.flattened)
    }
}

/// What a network's outputs mean among features.
package struct NetworkFeatures: Sendable {
    /// Where the class goes, for a network that is a classifier.
    package var classifier: ClassifierOutputs?
}
