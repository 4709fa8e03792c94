import FoundationEssentials
import Images
import Platform
import Tensors

/// The files beside a model that say how images become inputs and what the outputs mean.
package struct CompanionFiles {
    /// The part of the model's path before its file name; nil for a model that is no file.
    private let folder: String?
    private let stem: String

    /// No files, as for a model in memory.
    package init() { (folder, stem) = (nil, "") }

    package init(besideModel path: String) {
        folder = path.pathOfFolder
        stem = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    /// The path of the file of preprocessing, when it exists: `NAME.preprocess.json` in the form of Apus, a
    /// `processor_config.json` with an `image_processor`, a `preprocessor_config.json`, or a `config.json` of timm.
    var preprocessingFile: String? {
        if let file = existing(stem + ".preprocess.json") { return file }
        for prefix in [stem + ".", ""] {
            if let file = existing(prefix + "processor_config.json"), Self.hasImageProcessor(file) { return file }
            if let file = existing(prefix + "preprocessor_config.json") { return file }
        }
        return configurationFile.flatMap { Self.isOfTimm($0) ? $0 : nil }
    }

    /// Other processors, such as those of text, have files of the same name.
    private static func hasImageProcessor(_ path: String) -> Bool {
        guard let content = try? FileContent.read(path) else { return false }
        return JSONValue(content)?.object?["image_processor"]?.object != nil
    }

    private static func isOfTimm(_ path: String) -> Bool {
        guard let content = try? FileContent.read(path) else { return false }
        // A damaged value in it is an error of its own, where the steps are read.
        do {
            return try Preprocessing(timmJSON: content, size: nil) != nil
        } catch {
            return true
        }
    }

    /// The path of the configuration that may hold labels, when it exists.
    var configurationFile: String? { find("config.json") }

    /// The path of the file that says how outputs become objects, when it exists. It belongs to one model.
    var detectionFile: String? {
        guard let folder else { return nil }
        let path = folder + "\(stem).postprocess.json"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Reads how outputs become objects; nil when there is no such file.
    ///
    /// - Throws: ``ApusError`` when the file is there but damaged.
    package func detection() throws(ApusError) -> DetectionConfiguration? {
        guard let path = detectionFile else { return nil }
        return try DetectionConfiguration(contentsOf: path)
    }

    /// Reads the preprocessing; nil when there is no such file.
    ///
    /// - Parameter size: The size of the network's pictures, when it is fixed.
    /// - Throws: ``ApusError`` when the file is there but damaged.
    package func preprocessing(for size: ImageSize?) throws(ApusError) -> Preprocessing? {
        guard let path = preprocessingFile else { return nil }
        return try Preprocessing(contentsOf: path, size: size)
    }

    /// Reads the labels; nil when there is no configuration, or when it has none.
    ///
    /// - Throws: ``ApusError`` when the file is there but damaged.
    package func labels() throws(ApusError) -> Labels? {
        guard let path = configurationFile else { return nil }
        return try Labels(configuration: try FileContent.read(path), path: path)
    }

    /// What the configuration says that the model is for; nil when it does not say.
    func taskStatement() -> TaskStatement? {
        guard let path = configurationFile, let content = try? FileContent.read(path) else { return nil }
        return TaskStatement(configuration: content, path: path)
    }

    /// Whether the configuration says that several classes of a picture may hold.
    func isMultiLabel() -> Bool {
        guard let path = configurationFile, let content = try? FileContent.read(path),
            let json = JSONValue(content)?.object
        else { return false }
        return json["problem_type"] == .string("multi_label_classification")
    }

    /// The paths at which files about the model are looked for.
    package var candidates: [String] {
        guard let folder else { return [] }
        return [
            "\(stem).preprocessor_config.json", "preprocessor_config.json", "\(stem).processor_config.json",
            "processor_config.json", "\(stem).config.json", "config.json",
            "\(stem).preprocess.json", "\(stem).postprocess.json",
        ].map { folder + $0 }
    }

    private func find(_ name: String) -> String? {
        existing("\(stem).\(name)") ?? existing(name)
    }

    private func existing(_ name: String) -> String? {
        guard let folder, FileManager.default.fileExists(atPath: folder + name) else { return nil }
        return folder + name
    }
}

extension Preprocessing {
    /// Reads a Hugging Face `preprocessor_config.json` or `processor_config.json`, a `config.json` of timm, or a file
    /// in the form of Apus:
    ///
    ///     {"resize": {"mode": "exact", "size": {"width": 320, "height": 320}}, "filter": "lanczos",
    ///      "dividesByMaximum": true, "mean": [0.485, 0.456, 0.406], "standardDeviation": [0.229, 0.224, 0.225]}
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming the file and the key.
    public init(contentsOf path: String) throws(ApusError) { try self.init(contentsOf: path, size: nil) }

    /// - Parameter size: The size of the network's pictures, when it is fixed, for files of timm, whose network may
    ///   have been made for another.
    package init(contentsOf path: String, size: ImageSize?) throws(ApusError) {
        do {
            let content = try FileContent.read(path)
            if Preprocessing.isOwn(json: content) {
                try self.init(json: String(decoding: content, as: UTF8.self))
            } else if let steps = try Preprocessing(timmJSON: content, size: size) {
                self = steps
            } else {
                try self.init(huggingFaceJSON: content)
            }
        } catch let error as ApusError {
            throw error
        } catch {
            throw .file(path: path, message: "\(error)")
        }
    }
}
