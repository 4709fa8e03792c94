import Features
import SwiftProtobuf

/// Converts the message of a model that is not a network into a stage.
struct FeatureStageReader {
    let model: CoreMLModel
    let inputs: FeatureInputs
    var content: CoreMLMessage { model.content }

    /// The maximum bytes of numbers that are read at once.
    static let maximumNumberBytes = 256 << 20

    init(_ model: CoreMLModel) {
        self.model = model
        inputs = FeatureInputs(model.description.input.map(\.name))
    }

    /// - Throws: ``FormatError``, or ``FeatureError`` when the model contradicts itself.
    func stage() throws -> any FeatureStage {
        switch model.kind {
        case .glmRegressor: try linearRegressor()
        case .glmClassifier: try linearClassifier()
        case .treeEnsembleRegressor: try treeRegressor()
        case .treeEnsembleClassifier: try treeClassifier()
        case .supportVectorRegressor: try supportVectorRegressor()
        case .supportVectorClassifier: try supportVectorClassifier()
        case .kNearestNeighborsClassifier: try nearestNeighbors()
        case .featureVectorizer: try featureVectorizer()
        case .dictVectorizer: try dictionaryVectorizer()
        case .oneHotEncoder: try oneHotEncoder()
        case .categoricalMapping: try categoricalMapping()
        case .imputer: try imputer()
        case .scaler: try scaler()
        case .normalizer: try normalizer()
        case .arrayFeatureExtractor: try arrayFeatureExtractor()
        case .nonMaximumSuppression: try boxSuppression()
        case .identity: IdentityStage(inputs: inputs, outputs: model.description.output.map(\.name))
        default: throw FormatError.unsupported("models of this kind are not supported")
        }
    }

    var output: FeatureDescription {
        get throws {
            guard let output = try model.outputs.first else { throw FormatError.invalid("the model has no outputs") }
            return output
        }
    }

    /// The messages of a repeated field, decoded one by one.
    func messages<Message: SwiftProtobuf.Message>(
        _ field: some MessageField, of message: CoreMLMessage? = nil, _: Message.Type = Message.self
    ) throws -> [Message] {
        let message = message ?? content
        return try message.ranges(field).map { try message.decode($0, atMost: Self.maximumNumberBytes) }
    }

    /// The classes, or other keys, from fields of texts or integers.
    func keys<Field: MessageField>(strings: Field, integers: Field) throws -> [FeatureKey] {
        if let range = content.ranges(strings).last {
            let keys: CoreMLStringVector = try content.decode(range, atMost: 32 << 20)
            return keys.vector.map { .string($0) }
        }
        guard let range = content.ranges(integers).last else { return [] }
        let keys: CoreMLInt64Vector = try content.decode(range, atMost: 32 << 20)
        return keys.vector.map { .int($0) }
    }
}
