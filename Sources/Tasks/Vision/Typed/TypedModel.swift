import Dispatch
import Features
import Graphs
import Images
import Inference
import Models
import Platform
import Preparation
import Synchronization
import Tensors

/// The model behind the types that `apus generate` writes.
public final class TypedModel: Sendable {
    /// The value of an input.
    public enum Feature: Sendable {
        /// A picture, which is preprocessed as the model's files say.
        case image(ImageSource)
        /// Numbers.
        case tensor(Tensor)
        /// A value of another kind, for models of named features.
        case value(FeatureValue)
    }

    /// The outputs of the network for one record.
    public struct Outputs: Sendable {
        fileprivate let tensors: [String: Tensor]
        fileprivate let classification: Result<Classification, ApusError>?
        fileprivate let model: String

        /// An output by its name.
        ///
        /// - Throws: ``ApusError/usage(_:)`` when there is none of that name, since the type was generated for another
        ///   file.
        public func tensor(_ name: String) throws(ApusError) -> Tensor {
            if let tensor = tensors[name] { return tensor }
            throw .usage("\(model): there is no output \"\(name)\"; generate its type again")
        }

        /// The name of the class with the most confidence, which ``classLabelProbs()`` has.
        ///
        /// - Throws: ``ApusError/usage(_:)`` when the model gives no classes.
        public func classLabel() throws(ApusError) -> String {
            let classes = try classes()
            return classes.distinctNames[classes.best.index]
        }

        /// The confidence in every class, by its name. A class that shares its name with an earlier one has its index
        /// behind it, as in `crane (517)`.
        ///
        /// - Throws: ``ApusError/usage(_:)`` when the model gives no classes.
        public func classLabelProbs() throws(ApusError) -> [String: Double] {
            let classes = try classes()
            return Dictionary(
                zip(classes.distinctNames, classes.confidences.map(Double.init)),
                uniquingKeysWith: { first, _ in first })
        }

        private func classes() throws(ApusError) -> Classification {
            if let classification { return try classification.get() }
            throw .usage("\(model): nothing names the classes; put labels beside it, or generate its type again")
        }
    }

    /// The session that runs the network.
    public let session: Session
    private let pictures: PicturePreparation?
    private let scores: Result<ClassScores, ApusError>?

    /// Reads a model and the files beside it.
    ///
    /// - Throws: ``ApusError``.
    public convenience init(
        contentsOf path: String, options: Session.Options = Session.Options()
    ) async throws(ApusError) {
        try await self.init(try Model(contentsOf: path), options: options)
    }

    /// Starts a model.
    ///
    /// - Throws: As ``Session/init(_:options:)``.
    public init(_ model: Model, options: Session.Options = Session.Options()) async throws(ApusError) {
        if let input = Self.pictureInput(model) {
            pictures = try PicturePreparation(input, Image.DecodingOptions(), options)
            scores = model.labels.map { labels in
                Result { () throws(ApusError) in try ClassScores(model, labels: labels) }
            }
        } else {
            (pictures, scores) = (nil, nil)
        }
        session = try await Session(model, options: options)
    }

    /// Whether the network takes one picture and nothing else.
    package static func takesPicture(_ model: Model) -> Bool { pictureInput(model) != nil }

    private static func pictureInput(_ model: Model) -> ImageInput? {
        model.graph.inputs.count == 1 ? try? ImageInput(model, preprocessing: nil) : nil
    }

    /// Runs the network on one record.
    ///
    /// - Parameter features: A feature for every input, by name.
    /// - Throws: ``RecordError`` when a picture is at fault; ``ApusError`` when something else is.
    public func outputs(for features: [String: Feature]) async throws -> Outputs {
        results(try await session.predict(try await tensors(features)))
    }

    /// Runs the network on several records as one batch.
    ///
    /// - Throws: ``RecordError`` when a picture is at fault; ``ApusError`` when something else is.
    public func outputs(for batch: [[String: Feature]]) async throws -> [Outputs] {
        guard batch.count > 1 else {
            var results: [Outputs] = []
            for features in batch { results.append(try await outputs(for: features)) }
            return results
        }
        let records = try await withThrowingTaskGroup(of: (Int, [String: Tensor]).self) { group in
            for (index, features) in batch.enumerated() { group.addTask { (index, try await self.tensors(features)) } }
            return try await group.reduce(into: [Int: [String: Tensor]]()) { $0[$1.0] = $1.1 }
        }
        let outputs = try await session.predict(batch.indices.compactMap { records[$0] })
        return outputs.map { results($0) }
    }

    private func results(_ outputs: [String: Tensor]) -> Outputs {
        let model = session.model.name
        let classification = scores.map { scores in
            Result { () throws(ApusError) in
                let found = try scores.get().classifications(in: outputs, count: 1)
                do {
                    return try found[0].get()
                } catch {
                    throw ApusError(error, model: model)
                }
            }
        }
        return Outputs(tensors: outputs, classification: classification, model: model)
    }

    private func tensors(_ features: [String: Feature]) async throws -> [String: Tensor] {
        var tensors: [String: Tensor] = [:]
        for (name, feature) in features {
            switch feature {
            case .tensor(let tensor): tensors[name] = tensor
            case .value(let value):
                throw ApusError.usage("\(session.model.name): input \"\(name)\" takes an array, not \(value.kind)")
            case .image(let source):
                guard let pictures else {
                    throw ApusError.usage("\(session.model.name): input \"\(name)\" takes no picture")
                }
                tensors[name] = try await pictures.prepare(source).tensor
            }
        }
        return tensors
    }

    /// Waits for asynchronous work, in code that is not asynchronous, such as scripts. The work runs on other threads.
    public static func waiting<Value: Sendable>(
        for body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Value>()
        Task.detached {
            do {
                let value = try await body()
                outcome.result.withLock { $0 = .success(value) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        guard let result = outcome.result.withLock({ $0 }) else { throw ApusError.bug("nothing was waited for") }
        return try result.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }
}
