#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files beside a model that its tensors lie in, each opened once.
final class ONNXExternalFiles {
    private let folder: URL
    private var files: [String: ModelFile] = [:]

    init(in folder: URL) {
        self.folder = folder
    }

    func file(_ location: String) throws(FormatError) -> ModelFile {
        if let file = files[location] { return file }
        // One that is left open for every name in a hostile model would use up what a process may have.
        if files.count >= 64 { files = [:] }
        let file = try ModelFile(location, in: folder)
        files[location] = file
        return file
    }
}
