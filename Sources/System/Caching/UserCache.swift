import FoundationEssentials
import Glibc

/// The folder in which a user's programs store what they can make again.
package enum UserCache {
    /// `apus` in `$XDG_CACHE_HOME`; otherwise in `$HOME/.cache`, or in `.cache` of the home folder that the system
    /// reports.
    package static var folder: String { folder(ProcessInfo.processInfo.environment) }

    /// The cache folder for the given environment variables.
    package static func folder(_ environment: [String: String]) -> String {
        // The specification says to ignore relative paths: https://specifications.freedesktop.org/basedir-spec/latest/
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let caches = absolute("XDG_CACHE_HOME") ?? (absolute("HOME") ?? URL.homeDirectory.path) + "/.cache"
        return caches + "/apus"
    }

    /// Makes a folder of the cache that other users can neither read nor write. Missing folders around it are made in
    /// the same way.
    package static func make(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Writes a file atomically into a folder of the cache, where no other user can replace it. A file that cannot be
    /// written is not kept.
    package static func write(_ content: Data, to file: String) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        try? make(folder)
        guard distrust(folder) == nil else { return }
        let partial = "\(file).\(UUID().uuidString).partial"
        let isWritten = FileManager.default.createFile(
            atPath: partial, contents: content, attributes: [.posixPermissions: 0o600])
        if !isWritten || rename(partial, file) != 0 { unlink(partial) }
    }

    /// Returns the content of a file of the cache if only this user or root can have written it or placed it in its
    /// folder. Returns nil when there is no such file or it has more than `limit` bytes. The check applies to the file
    /// that is read: the status is that of the open file.
    package static func content(of file: String, atMost limit: Int) -> Data? {
        guard distrust(URL(fileURLWithPath: file).deletingLastPathComponent().path) == nil else { return nil }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit,
            distrust(status) == nil
        else { return nil }
        return read(descriptor, atMost: limit)
    }

    /// What an open file holds, up to `limit` bytes; nil for a file that cannot be read or is empty.
    private static func read(_ descriptor: Int32, atMost limit: Int) -> Data? {
        var content = Data()
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while content.count < limit {
            let count = Glibc.read(descriptor, &block, min(block.count, limit - content.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            content.append(contentsOf: block[..<count])
        }
        return content.isEmpty ? nil : content
    }

    /// Why another user may have written what is at a path; nil when only this user or root can have, or when nothing
    /// is there.
    package static func distrust(_ path: String) -> String? {
        var status = stat()
        return stat(path, &status) == 0 ? distrust(status).map { "\(path) \($0)" } : nil
    }

    /// Why another user may have written the file or folder with this status; nil when only this user or root can have.
    package static func distrust(_ status: stat) -> String? {
        if status.st_uid != 0, status.st_uid != geteuid() { return "belongs to another user" }
        return status.st_mode & 0o022 == 0 ? nil : "can be written by other users; take that away with chmod go-w"
    }
}
