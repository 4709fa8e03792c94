import FoundationEssentials
import Glibc

extension OutputFolder {
    /// Creates a folder, and those around it, where they are missing.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` that says what is in the way.
    package static func make(_ path: String) throws(ApusError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .file(path: path, message: obstacle(path) ?? "cannot be made")
        }
    }

    /// Checks, before there is anything to write, that a folder can be written to, or created where it is missing.
    ///
    /// - Throws: As ``make(_:)``.
    package static func check(_ path: String) throws(ApusError) {
        if let obstacle = obstacle(path) { throw .file(path: path, message: obstacle) }
    }

    /// The part of a path before its last name: the folder that the name is in.
    package static func folder(around path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Why a folder cannot be created or written to, found at the nearest part of its path that exists; nil when it
    /// can.
    private static func obstacle(_ path: String) -> String? {
        var nearest = path
        var status = stat()
        while stat(nearest, &status) != 0, nearest != ".", nearest != "/" { nearest = folder(around: nearest) }
        if status.st_mode & S_IFMT != S_IFDIR {
            return nearest == path ? "is a file, not a folder" : "cannot be made, since \(nearest) is a file"
        }
        if access(nearest, W_OK | X_OK) == 0 { return nil }
        let reason = String(cString: strerror(errno))
        return nearest == path ? reason : "cannot be made in \(nearest): \(reason)"
    }
}
