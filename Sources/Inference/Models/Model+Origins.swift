import Formats
import Platform

extension Model {
    /// Where a model got something from that its network does not say.
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        /// A file beside the model.
        case file(String)
        /// The model file, in the place that its format has for it.
        case model
        /// An entry of the model's metadata.
        case metadata(String)
        /// Nowhere: it is guessed from the quantization of the input.
        case quantization

        /// Some words for people.
        public var description: String {
            switch self {
            case .file(let path): "from \(path)"
            case .model: "from the model file"
            case .metadata(let key): "from \"\(key)\" of the model's metadata"
            case .quantization: "guessed from the quantization of the input"
            }
        }

        package init(_ source: DescriptionSource) {
            switch source {
            case .format: self = .model
            case .metadata(let key): self = .metadata(key)
            case .quantization: self = .quantization
            }
        }
    }

    /// Where what a model says beside its network comes from.
    public struct Origins: Sendable, Equatable {
        /// Of ``Model/preprocessing``.
        public internal(set) var preprocessing: Origin?
        /// Of ``Model/labels``.
        public internal(set) var labels: Origin?
        /// Of ``Model/detection``.
        public internal(set) var detection: Origin?
        /// Of the labels in ``Model/detection``.
        public internal(set) var objectLabels: Origin?
    }

    /// Whether an entry of the metadata is one that ``export(to:options:)`` wrote about pictures, classes and objects.
    package static func isOwnMetadata(_ key: String) -> Bool { EmbeddedDescription.isKey(key) }

    /// What a file of this model's network cannot hold; nil when it holds everything that predictions need.
    package var lossOfExport: String? {
        guard case .classification? = continuation else { return nil }
        return "what follows the network and tells the class is not part of the file"
    }

    /// Takes over what another model says beside its network.
    package mutating func describe(as other: Model) {
        (preprocessing, labels, detection, origins) = (
            other.preprocessing, other.labels, other.detection, other.origins
        )
        (scoresName, continuation) = (other.scoresName, other.continuation)
    }

    /// Takes over what the metadata and the files beside the model say; files come first.
    ///
    /// - Throws: ``ApusError`` when something is damaged.
    mutating func readDescription(_ companions: CompanionFiles) throws(ApusError) {
        try EmbeddedDescription(metadata: source.metadata, model: name).apply(to: &self)
        if let beside = try companions.preprocessing(), let file = companions.preprocessingFile {
            (preprocessing, origins.preprocessing) = (beside, .file(file))
        }
        if let beside = try companions.labels(), let file = companions.configurationFile {
            (labels, origins.labels) = (beside, .file(file))
        }
        let described = DetectionConfiguration(metadata: source.metadata)
        if var beside = try companions.detection(), let file = companions.detectionFile {
            origins.detection = .file(file)
            origins.objectLabels = beside.labels == nil ? nil : .file(file)
            // What the file leaves open stays as the model says.
            beside.inputSize = beside.inputSize ?? detection?.inputSize ?? described?.inputSize
            beside.boxOutputs = beside.boxOutputs ?? detection?.boxOutputs
            detection = beside
        } else if detection == nil, described != nil {
            (detection, origins.detection) = (described, .metadata("task"))
        }
        if detection != nil, detection?.labels == nil, let names = described?.labels, labels == nil {
            detection?.labels = names
        }
        if detection?.labels != nil, origins.objectLabels == nil { origins.objectLabels = .metadata("names") }
    }
}
