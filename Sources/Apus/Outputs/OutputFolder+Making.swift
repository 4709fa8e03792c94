import Foundation

extension OutputFolder {
    /// Makes a folder, and those around it, where they are missing.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` that says what is in the way.
    package static func make(_ path: String) throws(ApusError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .file(path: path, message: "cannot be made: \(obstacle(path))")
        }
    }

    private static func folder(around path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What keeps the system from making a folder: the nearest thing that is there.
    private static func obstacle(_ path: String) -> String {
        var nearest = path
        var status = stat()
        while stat(nearest, &status) != 0, nearest != ".", nearest != "/" { nearest = folder(around: nearest) }
        if status.st_mode & S_IFMT != S_IFDIR { return nearest == path ? "there is a file" : "\(nearest) is a file" }
        return access(nearest, W_OK | X_OK) == 0
            ? "the system refuses it" : "\(nearest): \(String(cString: strerror(errno)))"
    }
}
