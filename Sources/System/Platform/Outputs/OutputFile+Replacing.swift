extension OutputFile {
    /// Writes a file that appears under its name only when it is complete. When writing fails, nothing is left behind
    /// and an earlier file stays. A link to a file stays a link, and the file that it leads to is replaced. A pipe or a
    /// device is written to directly.
    ///
    /// - Parameter body: Writes the content.
    /// - Throws: ``ApusError/file(path:message:)``, or ``ApusError/memory(_:)`` for errors of `body` itself.
    package static func replace(_ path: String, writing body: (OutputFile) throws -> Void) throws(ApusError) {
        do {
            if let stream = try OutputFile(streamingTo: path) {
                try body(stream)
                try stream.close()
                return
            }
            let place = try FilePlace(path)
            let folder = try OutputFolder(path: place.folder)
            PartialFile.removeLeftovers(of: place.name, in: folder)
            try replace(place.name, in: folder, writing: body)
        } catch {
            switch error {
            case OutputError.failed(_, let message): throw .file(path: path, message: message)
            case let error as OutputError: throw ApusError(error)
            case let error as SystemError: throw .file(path: path, message: error.message)
            case let error as ApusError: throw error
            default: throw .memory("\(path): \(error)")
            }
        }
    }

    /// Creates a file that may be read while it grows, in place of an earlier one. A link to a file stays a link; a
    /// pipe or a device is opened directly.
    ///
    /// - Throws: ``OutputError/failed(name:message:)``.
    package static func opened(newAt path: String) throws(OutputError) -> OutputFile {
        if let stream = try OutputFile(streamingTo: path) { return stream }
        do {
            let place = try FilePlace(path)
            let partial = try PartialFile(for: place.name, in: OutputFolder(path: place.folder))
            do {
                try partial.rename()
            } catch {
                partial.discard()
                throw error
            }
            return partial.file
        } catch let error as SystemError {
            throw .failed(name: path, message: error.message)
        } catch ApusError.file(_, let message) {
            throw .failed(name: path, message: message)
        } catch {
            throw .failed(name: path, message: "\(error)")
        }
    }

    /// Writes a file of a folder, which appears under its name only when it is complete.
    ///
    /// - Parameters:
    ///   - isNew: Whether the name must not be taken.
    ///   - isDurable: Whether to wait until the file and its name are on the disk.
    /// - Throws: `SystemError` where the file cannot be made or named; what `body` throws.
    package static func replace(
        _ name: String, in folder: OutputFolder, isNew: Bool = false, isDurable: Bool = false,
        calls: SystemCalls = SystemCalls(),
        writing body: (OutputFile) throws -> Void
    ) throws {
        let partial = try PartialFile(for: name, in: folder, calls: calls)
        do {
            try body(partial.file)
            if isDurable { try partial.file.synchronize() }
            try partial.file.close()
            try partial.rename(isNew: isNew)
        } catch {
            partial.discard()
            throw error
        }
        if isDurable { try folder.synchronize() }
    }
}
