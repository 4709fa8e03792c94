import Features
import Graphs

/// A model of named features, as stored in a file.
package struct ImportedFeatureModel: Sendable {
    /// The part that computes the outputs.
    package enum Content: Sendable {
        case stage(any FeatureStage)
        case network(ImportedModel, NetworkFeatures)
        /// Models in sequence; each reads the pipeline's inputs and the outputs of those before it.
        case pipeline([ImportedFeatureModel])
    }

    package var kind: String
    package var inputs: [FeatureDescription]
    package var outputs: [FeatureDescription]
    package var metadata: [String: String]
    package var content: Content

    /// The models of a pipeline in order, including those of nested pipelines; otherwise the model alone.
    package var flattened: [ImportedFeatureModel] {
        guard case .pipeline(let models) = content else { return [self] }
        return models.flatMap(\.flattened)
    }
}

/// The meaning of a network's outputs as features.
package struct NetworkFeatures: Sendable {
    /// The output features of the class, for a network that is a classifier.
    package var classifier: ClassifierOutputs?
}
