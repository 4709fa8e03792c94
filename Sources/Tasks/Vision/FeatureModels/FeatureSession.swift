import Features
import Formats
import Graphs
import Images
import Inference
import Models
import Platform
import Preparation
import Tensors

/// A model of features that is ready to run; its networks run as in a ``Session``.
///
/// Every method may be called from any task.
public final class FeatureSession: Sendable {
    /// One model, or several; each reads the inputs and the outputs of earlier ones.
    private indirect enum Stage: Sendable {
        case direct(any FeatureStage)
        case network(NetworkStage)
        case pipeline([Stage])
    }

    /// The model.
    public let model: FeatureModel
    private let stage: Stage
    /// The preparations of pictures, by the names of the features that take them.
    private let pictures: [String: PicturePreparation]

    /// Starts a session.
    ///
    /// - Throws: As ``Session/init(_:options:)``.
    public init(_ model: FeatureModel, options: Session.Options = Session.Options()) async throws(ApusError) {
        self.model = model
        stage = try await Self.stage(model.content, name: model.name, options)
        pictures = try Self.pictures(stage, options)
    }

    private static func stage(
        _ content: ImportedFeatureModel, name: String, _ options: Session.Options
    ) async throws(ApusError) -> Stage {
        switch content.content {
        case .stage(let stage): return .direct(stage)
        case .network(let network, let features):
            let session = try await Session(try Model(network, name: name), options: options)
            return .network(NetworkStage(session: session, features: features, description: content))
        case .pipeline(let contents):
            var stages: [Stage] = []
            for content in contents { stages.append(try await stage(content, name: name, options)) }
            return .pipeline(stages)
        }
    }

    /// The preparations of pictures for the inputs that take them.
    private static func pictures(
        _ stage: Stage, fill: Bool = false, _ options: Session.Options
    ) throws(ApusError) -> [String: PicturePreparation] {
        switch stage {
        case .direct: return [:]
        case .network(let network): return try network.pictures(fill: fill, options)
        case .pipeline(let stages):
            // Objects may be anywhere, not only in the middle.
            let findsObjects = stages.contains { if case .direct(is BoxSuppression) = $0 { true } else { false } }
            var pictures: [String: PicturePreparation] = [:]
            for stage in stages {
                pictures.merge(try Self.pictures(stage, fill: fill || findsObjects, options)) { first, _ in first }
            }
            return pictures
        }
    }

    /// Runs the model once with pictures, which are decoded, resized and turned into numbers as the model says.
    ///
    ///     let outputs = try await session.predict(images: ["image": .file("street.jpg")])
    ///
    /// - Parameters:
    ///   - inputs: A value for every other input that is not optional.
    ///   - images: A picture for each input that takes one.
    /// - Throws: ``RecordError`` when a picture is at fault; otherwise as ``predict(_:)``.
    public func predict(
        _ inputs: [String: FeatureValue] = [:], images: [String: ImageSource]
    ) async throws -> [String: FeatureValue] {
        var values = inputs
        for (name, source) in images.sorted(by: { $0.key < $1.key }) {
            guard let preparation = pictures[name] else {
                throw ApusError.usage("\(model.name): feature \"\(name)\" takes no picture")
            }
            values[name] = .tensor(try await preparation.prepare(source).tensor)
        }
        return try await predict(values)
    }

    /// Runs the model once.
    ///
    /// - Parameter inputs: A value for every input that is not optional.
    /// - Returns: Every output, by name.
    /// - Throws: ``ApusError/usage(_:)`` for a missing or unknown feature, or one of another kind; otherwise as
    ///   `predict(_:)` of ``Session``.
    public func predict(
        _ inputs: [String: FeatureValue]
    ) async throws(ApusError) -> [String: FeatureValue] {
        for name in inputs.keys.sorted() where !model.inputs.contains(where: { $0.name == name }) {
            let known = model.inputs.map(\.name).joined(separator: ", ")
            throw .usage("\(model.name): there is no feature \"\(name)\"; the features are \(known)")
        }
        for feature in model.inputs where inputs[feature.name] == nil && !feature.isOptional {
            throw .usage("\(model.name): feature \"\(feature.name)\" is missing")
        }
        let values = try await run(stage, inputs)
        var outputs: [String: FeatureValue] = [:]
        for feature in model.outputs {
            guard let value = values[feature.name] else {
                throw .invalidModel(path: model.name, message: "no part of the model gives output \"\(feature.name)\"")
            }
            outputs[feature.name] = value
        }
        return outputs
    }

    private func run(
        _ stage: Stage, _ inputs: [String: FeatureValue]
    ) async throws(ApusError) -> [String: FeatureValue] {
        switch stage {
        case .direct(let stage):
            do throws(FeatureError) {
                return try stage.evaluate(inputs)
            } catch {
                throw ApusError(error, model: model.name)
            }
        case .network(let network): return try await network.run(inputs)
        case .pipeline(let stages):
            var values = inputs
            for stage in stages {
                values.merge(try await run(stage, values)) { _, new in new }
            }
            return values
        }
    }
}

extension ApusError {
    /// Makes the error for one of a model of features.
    package init(_ error: FeatureError, model: String) {
        switch error {
        case .input(let message): self = .usage("\(model): \(message)")
        case .model(let message): self = .invalidModel(path: model, message: message)
        case .tensor(let error): self = ApusError(error, model: model)
        }
    }
}
