import Foundation

extension OutputFile {
    /// Writes a file that appears under its name once it is whole; when writing fails, nothing is left behind and what
    /// was there stays. What is there and is no regular file, such as a pipe, is written to as it is.
    ///
    /// - Parameter body: Writes the content.
    /// - Throws: ``ApusError/file(path:message:)``, or ``ApusError/memory(_:)`` for errors of `body` itself.
    static func replace(_ path: String, writing body: (OutputFile) throws -> Void) throws(ApusError) {
        var information = stat()
        let isSpecial = stat(path, &information) == 0 && information.st_mode & S_IFMT != S_IFREG
        let partial = isSpecial ? path : path + ".partial"
        do {
            let file = try OutputFile(path: partial)
            try body(file)
            try file.close()
            guard isSpecial || rename(partial, path) == 0 else {
                throw OutputError.failed(name: path, message: String(cString: strerror(errno)))
            }
        } catch {
            if !isSpecial { unlink(partial) }
            switch error {
            case OutputError.failed(_, let message): throw .file(path: path, message: message)
            case let error as OutputError: throw ApusError(error)
            default: throw .memory("\(path): \(error)")
            }
        }
    }
}
