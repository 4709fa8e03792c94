import FoundationEssentials
import Images
import Platform

/// What an exported model says in its metadata about pictures, classes and objects. With it, the file alone gives the
/// predictions that the original model gives with the files beside it.
///
/// `apus.preprocessing` holds the steps from picture to numbers, `apus.labels` the names of the classes,
/// `apus.postprocess` the content of `NAME.postprocess.json`, `apus.task` what the network is for, `apus.scores`
/// the name of the output with a number for each class, and `apus.family` the family that reads the outputs.
package struct EmbeddedDescription {
    private enum Key: String, CaseIterable {
        case preprocessing = "apus.preprocessing"
        case labels = "apus.labels"
        case postprocess = "apus.postprocess"
        case task = "apus.task"
        case scores = "apus.scores"
        case family = "apus.family"
    }

    /// The key of what the network is for.
    package static var taskKey: String { Key.task.rawValue }

    /// Whether a key of a model's metadata belongs to the description.
    static func isKey(_ key: String) -> Bool { Key(rawValue: key) != nil }

    private var preprocessing: Preprocessing?
    private var labels: Labels?
    private var detection: DetectionConfiguration?
    private var task: VisionTask?
    private var scoresName: String?
    private var family: String?

    /// Makes a description to be written; nil leaves an entry out.
    package init(
        preprocessing: Preprocessing?, labels: Labels?, detection: DetectionConfiguration?, task: VisionTask?,
        scoresName: String?, family: String? = nil
    ) {
        self.preprocessing = preprocessing
        self.labels = labels
        self.detection = detection
        self.task = task
        self.scoresName = scoresName
        self.family = family
    }

    /// Reads the description from metadata; it is empty when they have none of its keys.
    ///
    /// - Throws: ``ApusError/invalidModel(path:message:)`` naming the entry that is damaged.
    package init(metadata: [String: String], model: String) throws(ApusError) {
        do {
            preprocessing = try metadata[Key.preprocessing.rawValue].map { try Preprocessing(json: $0) }
        } catch {
            throw Self.damage(.preprocessing, "\(error)", model)
        }
        do {
            labels = try metadata[Key.labels.rawValue].map { try Labels(json: Data($0.utf8), path: model) }
            detection = try metadata[Key.postprocess.rawValue].map {
                try DetectionConfiguration(json: Data($0.utf8), path: model)
            }
        } catch ApusError.file(_, let message) {
            throw Self.damage(
                labels == nil && metadata[Key.labels.rawValue] != nil ? .labels : .postprocess, message, model)
        } catch {
            throw ApusError(error, model: model)
        }
        scoresName = metadata[Key.scores.rawValue]
        family = metadata[Key.family.rawValue]
    }

    private static func damage(_ key: Key, _ message: String, _ model: String) -> ApusError {
        .invalidModel(path: model, message: "\"\(key.rawValue)\" of its metadata: \(message)")
    }

    /// Sets what is described here on a model.
    func apply(to model: inout Model) {
        if let preprocessing {
            (model.preprocessing, model.origins.preprocessing) = (preprocessing, .metadata(Key.preprocessing.rawValue))
        }
        if let labels { (model.labels, model.origins.labels) = (labels, .metadata(Key.labels.rawValue)) }
        if let family { model.familyChoice = .named(family) }
        if let detection, let task = detection.task, task != .detect {
            model.decoding = detection
        } else if let detection {
            (model.detection, model.origins.detection) = (detection, .metadata(Key.postprocess.rawValue))
        }
        let outputs = model.graph.outputs.map { model.graph[$0].name }
        if let scoresName, outputs.contains(scoresName) { model.scoresName = scoresName }
    }

    /// Writes the description into metadata, in place of an earlier one.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the preprocessing is not valid.
    package func write(into metadata: inout [String: String], model: String) throws(ApusError) {
        for key in Key.allCases { metadata[key.rawValue] = nil }
        do {
            metadata[Key.preprocessing.rawValue] = try preprocessing?.json()
        } catch {
            throw .usage("\(model): \(error)")
        }
        metadata[Key.labels.rawValue] = labels?.json
        metadata[Key.postprocess.rawValue] = detection?.json
        metadata[Key.task.rawValue] = task?.rawValue
        metadata[Key.scores.rawValue] = scoresName
        metadata[Key.family.rawValue] = family
    }
}
