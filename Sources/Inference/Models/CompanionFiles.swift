import FoundationEssentials
import Images
import Platform

/// The files beside a model that say how images become inputs and what the outputs mean.
package struct CompanionFiles {
    /// The part of the model's path before its file name; nil for a model that is no file.
    private let folder: String?
    private let stem: String

    /// No files, as for a model in memory.
    package init() { (folder, stem) = (nil, "") }

    package init(besideModel path: String) {
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        stem = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    /// The path of the file of preprocessing, when it exists.
    var preprocessingFile: String? { find("preprocessor_config.json") }

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
    /// - Throws: ``ApusError`` when the file is there but damaged.
    package func preprocessing() throws(ApusError) -> Preprocessing? {
        guard let path = preprocessingFile else { return nil }
        return try Preprocessing(contentsOf: path)
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
            "\(stem).preprocessor_config.json", "preprocessor_config.json", "\(stem).config.json", "config.json",
            "\(stem).postprocess.json",
        ].map { folder + $0 }
    }

    private func find(_ name: String) -> String? {
        guard let folder else { return nil }
        return ["\(stem).\(name)", name].map { folder + $0 }
            .first { FileManager.default.fileExists(atPath: $0) }
    }
}

extension Preprocessing {
    /// Reads a Hugging Face `preprocessor_config.json`.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming the file and the key.
    public init(contentsOf path: String) throws(ApusError) {
        do {
            try self.init(huggingFaceJSON: try FileContent.read(path))
        } catch let error as ApusError {
            throw error
        } catch {
            throw .file(path: path, message: "\(error)")
        }
    }
}
