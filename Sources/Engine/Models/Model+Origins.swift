import Formats
import Graphs
import Images
import Platform
import Tensors

/// Which family of networks fills what a model's files leave open.
package enum FamilyChoice: Sendable, Equatable {
    /// The one that the network tells, if any.
    case open
    /// None.
    case none
    /// The one of this name.
    case named(String)
}

extension Model {
    /// The source of something that a model says beside its network.
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        /// A file beside the model.
        case file(String)
        /// The model file, in a field of its format.
        case model
        /// An entry of the model's metadata.
        case metadata(String)
        /// The family of networks to which the model belongs, by its name for people.
        case family(String)
        /// No source: it is guessed from the quantization of the input.
        case quantization

        /// The origin in a few words, for people.
        public var description: String {
            switch self {
            case .file(let path): "from \(path)"
            case .model: "from the model file"
            case .metadata(let key): "from \"\(key)\" of the model's metadata"
            case .family(let title): "as for \(title)"
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

    /// The sources of all that a model says beside its network.
    public struct Origins: Sendable, Equatable {
        /// The origin of ``Model/preprocessing``.
        public package(set) var preprocessing: Origin?
        /// The origin of ``Model/labels``.
        public package(set) var labels: Origin?
        /// The origin of ``Model/detection``.
        public package(set) var detection: Origin?
        /// The origin of the labels in ``Model/detection``.
        public internal(set) var objectLabels: Origin?
    }

    /// Where labels come from, for people; nil for others than the model's own.
    package func origin(of labels: Labels?) -> String? {
        guard let labels else { return nil }
        if labels == detection?.labels, let origin = origins.objectLabels { return origin.description }
        return labels == self.labels ? origins.labels?.description : nil
    }

    /// Whether a key of the metadata is one that ``export(to:options:)`` writes about pictures, classes and objects.
    package static func isOwnMetadata(_ key: String) -> Bool { EmbeddedDescription.isKey(key) }

    /// What an exported file of this network would lack for predictions; nil when it would lack nothing.
    package var lossOfExport: String? {
        guard case .classification? = continuation else { return nil }
        return "the models that follow the network and give the class are not part of the file"
    }

    /// Copies what another model says beside its network.
    package mutating func describe(as other: Model) {
        (preprocessing, labels, detection, origins) = (
            other.preprocessing, other.labels, other.detection, other.origins
        )
        (scoresName, continuation) = (other.scoresName, other.continuation)
        (pictureOutputs, inputDefaults) = (other.pictureOutputs, other.inputDefaults)
        (inputValues, inputPreprocessing) = (other.inputValues, other.inputPreprocessing)
        (decoding, familyChoice) = (other.decoding, other.familyChoice)
        (taskStatement, isMultiLabel) = (other.taskStatement, other.isMultiLabel)
    }

    /// Reads what the metadata and the files beside the model say; files take precedence.
    ///
    /// - Throws: ``ApusError`` when something is damaged.
    mutating func readDescription(_ companions: CompanionFiles) throws(ApusError) {
        try EmbeddedDescription(metadata: source.metadata, model: name).apply(to: &self)
        if let beside = try companions.preprocessing(for: fixedPictureSize), let file = companions.preprocessingFile {
            (preprocessing, origins.preprocessing) = (beside, .file(file))
        }
        if let beside = try companions.labels(), let file = companions.configurationFile {
            (labels, origins.labels) = (beside, .file(file))
        }
        var described = DetectionConfiguration(metadata: source.metadata)
        if let found = described, found.task != nil {
            if decoding == nil { decoding = found }
            if let names = found.labels, labels == nil { (labels, origins.labels) = (names, .metadata("names")) }
            described = nil
        }
        readClassNames(try Labels.named(in: source.metadata, model: name))
        taskStatement =
            companions.taskStatement() ?? TaskStatement(metadata: source.metadata)
            ?? TaskStatement(pictureOutputs: pictureOutputs)
        isMultiLabel = companions.isMultiLabel()
        let beside = try companions.detection()
        if let beside, let file = companions.detectionFile, let task = beside.task, task != .detect {
            taskStatement = TaskStatement(.task(task), "\"task\" is \"\(task.rawValue)\"", .file(file))
            (detection, origins.detection) = (nil, nil)
            var beside = beside
            beside.inputSize = beside.inputSize ?? decoding?.inputSize
            beside.keypointNames = beside.keypointNames ?? decoding?.keypointNames
            decoding = beside
            if let names = beside.labels { (labels, origins.labels) = (names, .file(file)) }
            return
        }
        if var beside, let file = companions.detectionFile {
            origins.detection = .file(file)
            origins.objectLabels = beside.labels == nil ? nil : .file(file)
            // The model says what the file does not.
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

    /// Reads the classes that entries of the metadata name, where nothing else does: `names`, as Ultralytics writes it,
    /// and `character`, as PaddleOCR's exporters do, where an output has as many numbers for each picture, or one of
    /// several for each box. A classifier of Ultralytics gets its steps, too.
    private mutating func readClassNames(_ names: Labels?) {
        guard labels == nil, detection?.labels == nil else { return }
        if let names {
            (labels, origins.labels) = (names, .metadata("names"))
        } else if let text = source.metadata["character"] {
            let lines = text.textLines
            let rows = source.outputs.compactMap { source[$0].shape?.dimensions.map(\.value) }
            // Readers of text, which name their letters so, have one output.
            let areClasses = rows.contains { extents in
                (extents.count == 2 || extents.count == 3 && rows.count > 1) && extents.last == lines.count
            }
            if lines.count > 1, areClasses {
                (labels, origins.labels) = (Labels(lines), .metadata("character"))
            }
        }
        if preprocessing == nil, let steps = Preprocessing(classifierMetadata: source.metadata),
            steps.crop == fixedPictureSize || fixedPictureSize == nil
        {
            (preprocessing, origins.preprocessing) = (steps, .metadata("imgsz"))
        }
    }

    /// The width and height of the only input, a picture, where the network fixes them.
    private var fixedPictureSize: ImageSize? {
        guard source.inputs.count == 1, let extents = source[source.inputs[0]].shape?.dimensions.map(\.value),
            extents.count == 4
        else { return nil }
        let spatial = [1, 3].contains(extents[1]) ? extents[2...3] : extents[1...2]
        guard let height = spatial.first ?? nil, let width = spatial.last ?? nil else { return nil }
        return ImageSize(width: width, height: height)
    }
}
