import FoundationEssentials
import Features

/// Turns a model of any kind into one of named features.
struct FeatureModelReader {
    /// The number of pipelines around the model.
    let depth: Int

    private static let depthLimit = 16

    /// The fields of a pipeline. A pipeline that classifies or gives a number has a plain pipeline in its first field.
    private enum PipelineField: Int, MessageField {
        case models = 1
        static let pipeline = models
    }

    /// The folder of weights that have their own files.
    private let folder: URL?

    init(folder: URL?, depth: Int = 0) {
        self.folder = folder
        self.depth = depth
    }

    func read(_ model: CoreMLModel) throws(FormatError) -> ImportedFeatureModel {
        ImportedFeatureModel(
            kind: model.kind.name, inputs: try model.inputs, outputs: try model.outputs, metadata: model.metadata,
            content: try content(model))
    }

    private func content(_ model: CoreMLModel) throws(FormatError) -> ImportedFeatureModel.Content {
        switch model.kind {
        case .neuralNetwork, .neuralNetworkRegressor:
            return .network(try NeuralNetworkReader(model).read(), NetworkFeatures())
        case .neuralNetworkClassifier:
            let outputs = try model.classifierOutputs(try ClassLabels(model.content))
            return .network(try NeuralNetworkReader(model).read(), NetworkFeatures(classifier: outputs))
        case .mlProgram:
            let network = try MILProgramReader(model, folder: folder).read()
            var features = NetworkFeatures()
            if let labels = network.labels { features.classifier = try model.classifierOutputs(.strings(labels)) }
            return .network(network, features)
        case .pipeline: return .pipeline(try stages(model.content))
        case .pipelineClassifier, .pipelineRegressor:
            return .pipeline(try stages(try model.content.message(PipelineField.pipeline)))
        default:
            do {
                return .stage(try FeatureStageReader(model).stage())
            } catch let error as FormatError {
                throw error.about(model.kind.name)
            } catch {
                throw .invalid("\(model.kind.name): \(error)")
            }
        }
    }

    private func stages(_ pipeline: CoreMLMessage) throws(FormatError) -> [ImportedFeatureModel] {
        guard depth < Self.depthLimit else {
            throw .unsupported("pipelines lie inside one another more than \(Self.depthLimit) deep")
        }
        var stages: [ImportedFeatureModel] = []
        for (number, range) in pipeline.ranges(PipelineField.models).enumerated() {
            do throws(FormatError) {
                let model = try CoreMLModel(try CoreMLMessage(pipeline.content, range))
                stages.append(try FeatureModelReader(folder: folder, depth: depth + 1).read(model))
            } catch {
                throw error.about("model \(number + 1) of the pipeline")
            }
        }
        return stages
    }
}
