import Foundation

/// The folder in which a user's programs keep what they can make again.
package enum UserCache {
    /// `apus` in `$XDG_CACHE_HOME`, or in `$HOME/.cache`, or in `.cache` of the home folder that the system knows.
    package static var folder: String { folder(ProcessInfo.processInfo.environment) }

    /// The same for other variables of the environment.
    package static func folder(_ environment: [String: String]) -> String {
        // Relative paths are to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let caches = absolute("XDG_CACHE_HOME") ?? (absolute("HOME") ?? NSHomeDirectory()) + "/.cache"
        return caches + "/apus"
    }

    /// Makes a folder of the cache that other users may neither read nor write; those around it likewise where they are
    /// missing.
    package static func make(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Puts a file into a folder of the cache at once, where no other user can exchange it; what cannot be written is
    /// not kept.
    package static func write(_ content: Data, to file: String) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        try? make(folder)
        guard distrust(folder) == nil else { return }
        let partial = "\(file).\(UUID().uuidString).partial"
        let isWritten = FileManager.default.createFile(
            atPath: partial, contents: content, attributes: [.posixPermissions: 0o600])
        if !isWritten || rename(partial, file) != 0 { unlink(partial) }
    }

    /// The content of a file of the cache that only this user or root can have written or put into its folder; nil when there
    /// is none, or it has more bytes. What is checked is what is read: the status is the open file's.
    package static func content(of file: String, atMost limit: Int) -> Data? {
        guard distrust(URL(fileURLWithPath: file).deletingLastPathComponent().path) == nil else { return nil }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit,
            distrust(status) == nil
        else { return nil }
        return try? handle.read(upToCount: limit)
    }

    /// Why what lies at a path may come from somebody else; nil when only this user or root can have written it, and when
    /// there is nothing.
    package static func distrust(_ path: String) -> String? {
        var status = stat()
        return stat(path, &status) == 0 ? distrust(status).map { "\(path) \($0)" } : nil
    }

    /// The same for the status of a file or folder.
    package static func distrust(_ status: stat) -> String? {
        if status.st_uid != 0, status.st_uid != geteuid() { return "belongs to another user" }
        return status.st_mode & 0o022 == 0 ? nil : "can be written by other users; take that away with chmod go-w"
    }
}
