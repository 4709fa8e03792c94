import Glibc

/// A folder that is held open, so that its files stay in it even when its path leads elsewhere meanwhile. Links among
/// its entries are never followed.
package final class OutputFolder: Sendable {
    /// The folder's path, for messages.
    package let path: String
    private let descriptor: Int32

    /// `O_PATH`, which needs no permission to list the folder: https://man7.org/linux/man-pages/man2/open.2.html
    private static let pathOnly: Int32 = 0o10000000

    /// Opens a folder; its own path may lead through links.
    package convenience init(path: String) throws(SystemError) {
        try self.init(
            path: path,
            descriptor: open(path.isEmpty ? "." : path, Self.pathOnly | O_DIRECTORY | O_CLOEXEC))
    }

    private init(path: String, descriptor: Int32) throws(SystemError) {
        guard descriptor >= 0 else { throw SystemError(path: path, code: errno) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The path of an entry.
    package func path(of name: String) -> String {
        path.isEmpty ? name : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// The status of an entry, for a link its own; nil when there is no such entry.
    package func status(of name: String) throws(SystemError) -> stat? {
        var information = stat()
        if fstatat(descriptor, name, &information, AT_SYMLINK_NOFOLLOW) == 0 { return information }
        guard errno == ENOENT else { throw SystemError(path: path(of: name), code: errno) }
        return nil
    }

    /// Opens a folder in this one.
    ///
    /// - Parameter isMaking: Whether the folder is created where it is missing.
    package func subfolder(_ name: String, making isMaking: Bool) throws(SystemError) -> OutputFolder {
        guard !isMaking || mkdirat(descriptor, name, 0o777) == 0 || errno == EEXIST else {
            throw SystemError(path: path(of: name), code: errno)
        }
        return try OutputFolder(
            path: path(of: name),
            descriptor: openat(descriptor, name, Self.pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    }

    /// Opens an entry for reading.
    package func openForReading(_ name: String) throws(SystemError) -> Int32 {
        let opened = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError(path: path(of: name), code: errno) }
        return opened
    }

    /// The first bytes of an entry; none where it cannot be read.
    package func beginning(of name: String, byteCount: Int) -> [UInt8] {
        guard let descriptor = try? openForReading(name) else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(0, count)))
    }

    /// Creates a file under a name that is not taken.
    func create(_ name: String) throws(SystemError) -> Int32 {
        let created = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard created >= 0 else { throw SystemError(path: path(of: name), code: errno) }
        return created
    }

    /// Renames an entry, and replaces the one that has the new name.
    package func rename(_ name: String, to other: String) throws(SystemError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw SystemError(path: path(of: other), code: errno)
        }
    }

    /// Renames an entry to a name that is not taken.
    func renameNew(_ name: String, to other: String) throws(SystemError) {
        if linkat(descriptor, name, descriptor, other, 0) == 0 { return remove(name) }
        // Some file systems have no hard links.
        guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS else {
            throw SystemError(path: path(of: other), code: errno)
        }
        try rename(name, to: other)
    }

    /// Removes an entry that is not a folder.
    package func remove(_ name: String) { unlinkat(descriptor, name, 0) }

    /// The names of the entries; none where the folder cannot be listed.
    package func names() -> [String] {
        let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { return [] }
        guard let stream = fdopendir(listed) else {
            close(listed)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                })
        }
        return names
    }

    /// Waits until the names of the entries are on the disk.
    package func synchronize() throws(SystemError) {
        let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { throw SystemError(path: path, code: errno) }
        defer { close(listed) }
        // Some file systems have no fsync for folders, and keep renames in order on their own.
        guard fsync(listed) == 0 || errno == EINVAL else { throw SystemError(path: path, code: errno) }
    }
}

/// A call that the system refused.
package struct SystemError: Error, CustomStringConvertible {
    /// The path that the call was given.
    package let path: String
    /// `errno`; 0 where the call succeeded but its result is refused.
    package let code: Int32
    /// The reason, for people.
    package let message: String

    package init(path: String, code: Int32) {
        (self.path, self.code) = (path, code)
        message = OutputFile.systemMessage(code)
    }

    package init(path: String, message: String) {
        (self.path, self.message) = (path, message)
        code = 0
    }

    package var description: String { "\(path): \(message)" }
}

extension OutputError {
    package init(_ error: SystemError) { self = .failed(name: error.path, message: error.message) }
}
