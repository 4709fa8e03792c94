import FoundationEssentials

/// The files beside a model that hold its tensors. Each is opened once.
final class ONNXExternalFiles {
    private let folder: URL
    private var files: [String: ModelFile] = [:]

    init(in folder: URL) {
        self.folder = folder
    }

    func file(_ location: String) throws(FormatError) -> ModelFile {
        if let file = files[location] { return file }
        // A hostile model could name more files than a process may open.
        if files.count >= 64 { files = [:] }
        let file = try ModelFile(location, in: folder)
        files[location] = file
        return file
    }
}
