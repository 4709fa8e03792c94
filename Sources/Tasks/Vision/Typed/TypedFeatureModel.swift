import Features
import Inference
import Models
import Platform
import Preparation
import Tensors

/// The model behind the types that `apus generate` writes for models of named features.
public final class TypedFeatureModel: Sendable {
    /// The outputs of the model for one record.
    public struct Outputs: Sendable {
        fileprivate let values: [String: FeatureValue]
        fileprivate let model: String

        /// An output by its name.
        ///
        /// - Throws: ``ApusError/usage(_:)`` when there is none of that name, since the type was generated for another
        ///   file.
        public func value(_ name: String) throws(ApusError) -> FeatureValue {
            if let value = values[name] { return value }
            throw .usage("\(model): there is no output \"\(name)\"; generate its type again")
        }

        /// An output that is an integer.
        public func int(_ name: String) throws(ApusError) -> Int64 {
            if case .int(let number) = try value(name) { return number }
            throw mismatch(name)
        }

        /// An output that is a number.
        public func double(_ name: String) throws(ApusError) -> Double {
            if let numbers = try value(name).numbers, numbers.count == 1 { return numbers[0] }
            throw mismatch(name)
        }

        /// An output that is a text.
        public func string(_ name: String) throws(ApusError) -> String {
            if case .string(let text) = try value(name) { return text }
            throw mismatch(name)
        }

        /// An output that is an array.
        public func tensor(_ name: String) throws(ApusError) -> Tensor {
            if case .tensor(let tensor) = try value(name) { return tensor }
            throw mismatch(name)
        }

        /// An output that is a dictionary with texts as keys.
        public func dictionary(_ name: String) throws(ApusError) -> [String: Double] {
            guard case .dictionary(let entries) = try value(name) else { throw mismatch(name) }
            return Dictionary(entries.map { ($0.key.description, $0.value) }, uniquingKeysWith: { first, _ in first })
        }

        /// An output that is a dictionary with integers as keys.
        public func integerDictionary(_ name: String) throws(ApusError) -> [Int64: Double] {
            guard case .dictionary(let entries) = try value(name) else { throw mismatch(name) }
            var numbers: [Int64: Double] = [:]
            for (key, value) in entries {
                guard case .int(let number) = key else { throw mismatch(name) }
                numbers[number] = value
            }
            return numbers
        }

        private func mismatch(_ name: String) -> ApusError {
            let kind = values[name]?.kind ?? "nothing"
            return .usage("\(model): output \"\(name)\" is \(kind); generate its type again")
        }
    }

    /// The session that runs the model.
    public let session: FeatureSession

    /// Reads a model.
    ///
    /// - Throws: ``ApusError``.
    public convenience init(
        contentsOf path: String, options: Session.Options = Session.Options()
    ) async throws(ApusError) {
        try await self.init(try FeatureModel(contentsOf: path), options: options)
    }

    /// Starts a model.
    ///
    /// - Throws: As ``FeatureSession/init(_:options:)``.
    public init(_ model: FeatureModel, options: Session.Options = Session.Options()) async throws(ApusError) {
        session = try await FeatureSession(model, options: options)
    }

    /// Runs the model on one record.
    ///
    /// - Parameter features: A feature for every input that is not optional, by name.
    /// - Throws: ``RecordError`` when a picture is at fault; ``ApusError`` when something else is.
    public func outputs(for features: [String: TypedModel.Feature]) async throws -> Outputs {
        var values: [String: FeatureValue] = [:]
        var images: [String: ImageSource] = [:]
        for (name, feature) in features {
            switch feature {
            case .image(let source): images[name] = source
            case .tensor(let tensor): values[name] = .tensor(tensor)
            case .value(let value): values[name] = value
            }
        }
        let outputs = try await session.predict(values, images: images)
        return Outputs(values: outputs, model: session.model.name)
    }

    /// Runs the model on several records.
    ///
    /// - Throws: ``RecordError`` when a picture is at fault; ``ApusError`` when something else is.
    public func outputs(for batch: [[String: TypedModel.Feature]]) async throws -> [Outputs] {
        try await withThrowingTaskGroup(of: (Int, Outputs).self) { group in
            for (index, features) in batch.enumerated() {
                group.addTask { (index, try await self.outputs(for: features)) }
            }
            let found = try await group.reduce(into: [Int: Outputs]()) { $0[$1.0] = $1.1 }
            return batch.indices.compactMap { found[$0] }
        }
    }
}

extension FeatureValue {
    /// Makes a dictionary with texts as keys.
    public init(_ numbers: [String: Double]) {
        self = .dictionary(Dictionary(uniqueKeysWithValues: numbers.map { (FeatureKey.string($0.key), $0.value) }))
    }

    /// Makes a dictionary with integers as keys.
    public init(_ numbers: [Int64: Double]) {
        self = .dictionary(Dictionary(uniqueKeysWithValues: numbers.map { (FeatureKey.int($0.key), $0.value) }))
    }
}
