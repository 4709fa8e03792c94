import Glibc

/// Where a file is or would be: a name in a folder, without links.
package struct FilePlace: Sendable {
    /// The folder's path. Links are resolved where the path was one to a file.
    package let folder: String
    /// The file's name in the folder.
    package let name: String
    /// The identity of the file; nil when there is none.
    package let identity: FileIdentity?
    private let folderIdentity: FileIdentity?

    /// Finds where a path leads.
    ///
    /// - Parameter followsLink: Whether a link stands for the file that it leads to, not for itself.
    /// - Throws: ``ApusError/file(path:message:)`` for a link to nothing, and for a path that cannot name a file.
    package init(_ path: String, followsLink: Bool = true) throws(ApusError) {
        identity = FileIdentity(path)
        var information = stat()
        var whole = path
        if followsLink, lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFLNK {
            guard identity != nil, let resolved = Self.resolved(path) else {
                throw .file(path: path, message: "is a link to a file that is not there")
            }
            whole = resolved
        }
        let slash = whole.utf8.lastIndex(of: UInt8(ascii: "/"))
        let end = slash.map { String(whole[whole.utf8.index(after: $0)...]) } ?? whole
        guard !["", ".", ".."].contains(end) else { throw .file(path: path, message: "is a folder, not a file") }
        name = end
        folder = slash.map { $0 == whole.startIndex ? "/" : String(whole[..<$0]) } ?? ""
        folderIdentity = FileIdentity(folder.isEmpty ? "." : folder)
    }

    /// The path, whose last part is not a link.
    package var path: String { folder.isEmpty ? name : folder == "/" ? "/" + name : "\(folder)/\(name)" }

    /// Whether the file lies in a folder or in one of its subfolders.
    package func isBeneath(_ other: String) -> Bool {
        guard let outer = Self.resolved(other), let inner = Self.resolved(folder.isEmpty ? "." : folder) else {
            return false
        }
        return inner == outer || inner.utf8.starts(with: (outer.hasSuffix("/") ? outer : outer + "/").utf8)
    }

    /// A path with its links resolved; nil when it leads to nothing.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether writing to one place would change the other.
    package func isSame(as other: FilePlace) -> Bool {
        if let identity, identity == other.identity { return true }
        return name == other.name && folderIdentity != nil && folderIdentity == other.folderIdentity
    }
}

/// Which file a path leads to, by device and inode.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    /// Whether it is a regular file, not a folder, pipe or device.
    package let isRegular: Bool

    /// Finds the file at a path; nil when there is none.
    package init?(_ path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    package init(_ information: stat) {
        device = UInt64(information.st_dev)
        number = UInt64(information.st_ino)
        isRegular = information.st_mode & S_IFMT == S_IFREG
    }
}
