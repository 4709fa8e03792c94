import Formats
import FoundationEssentials
import Glibc
import Platform

extension FileContent {
    /// The content of a model. A file is read when parts of it are needed, a pipe at once and whole.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    package static func model(_ path: String) throws(ApusError) -> ModelContent {
        let (descriptor, status) = try open(path)
        if status.isRegularFile { return ModelContent(descriptor: descriptor, status: status) }
        defer { close(descriptor) }
        return ModelContent(try readAll(descriptor, path, status, atMost: maximumStreamByteCount))
    }

    /// The content of a model file, or of the model in a package, and the folder of that file.
    ///
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/invalidModel(path:message:)`` for a folder that is not
    ///   a package.
    package static func modelOrPackage(_ path: String) throws(ApusError) -> (ModelContent, folder: URL) {
        let url = URL(fileURLWithPath: path)
        guard let package = CoreMLPackage(url) else { return (try model(path), url.deletingLastPathComponent()) }
        do {
            return try package.model()
        } catch {
            throw ApusError(error, path: path)
        }
    }
}
