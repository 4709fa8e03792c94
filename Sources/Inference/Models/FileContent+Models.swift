import Formats
import Foundation
import Platform

extension FileContent {
    /// The content of a model, which is read from its file when it is wanted, or all that comes through a pipe.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    package static func model(_ path: String) throws(ApusError) -> ModelContent {
        let (descriptor, status) = try open(path)
        if status.isRegularFile { return ModelContent(descriptor: descriptor, status: status) }
        defer { close(descriptor) }
        return ModelContent(try readAll(descriptor, path, status, atMost: longestStream))
    }

    /// The content of a model, or of the model in a folder that is a package, and the folder that the file lies in.
    ///
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/invalidModel(path:message:)`` for other folders.
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
