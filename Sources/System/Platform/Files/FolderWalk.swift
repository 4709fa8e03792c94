import Glibc

/// Goes through the files of a folder and its subfolders in the order of the bytes of their paths.
///
/// Only the entries of the current folder and of those around it are held in memory. The walk passes over hidden files
/// and folders, links to folders (which may lead in a circle), and what is neither a file nor a folder; it counts them
/// all. It also passes over subfolders that cannot be listed, and names the first of them, unless it is strict.
package struct FolderWalk {
    /// A file.
    package struct File {
        /// The path, which begins with that of the listed folder.
        package let path: String
        /// The path inside the listed folder.
        package let inside: String
        /// Whether the name is UTF-8 text; other bytes are written as `\xFF` in the path, which then leads nowhere.
        package let isNamedInText: Bool
    }

    private struct Entry {
        let name: String
        /// The name's bytes, for a folder followed by `/`, so that entries are in the order of all files' paths.
        let key: [UInt8]
        let isFolder: Bool
        let isNamedInText: Bool
    }

    private let root: String
    private let isPruned: (String) -> Bool
    private let isStrict: Bool
    private let tally: SkippedFileCounter
    /// The folders entered, outermost first: the path inside the listed folder, ending in `/`, and the entries left,
    /// last first.
    private var levels: [(inside: String, entries: [Entry])] = []

    /// Starts at the beginning of a folder.
    ///
    /// - Parameters:
    ///   - tally: Counts what is passed over.
    ///   - isStrict: Whether a subfolder that cannot be listed ends the walk.
    ///   - isPruned: Whether to leave out a file or folder, by its path inside the listed folder, without counting it.
    /// - Throws: ``ApusError/file(path:message:)`` when the folder cannot be listed.
    package init(
        _ folder: String, _ tally: SkippedFileCounter, isStrict: Bool = false, isPruned: @escaping (String) -> Bool
    ) throws(ApusError) {
        root = Self.root(folder)
        self.isStrict = isStrict
        self.isPruned = isPruned
        self.tally = tally
        levels = [("", try entries(of: ""))]
    }

    /// The path of a folder, ending in one `/`.
    package static func root(_ folder: String) -> String {
        var end = folder[...]
        while end.count > 1, end.last == "/" { end.removeLast() }
        return end == "/" ? "/" : end + "/"
    }

    /// The next file; nil after the last.
    package mutating func next() throws(ApusError) -> File? {
        while let level = levels.indices.last {
            guard let entry = levels[level].entries.popLast() else {
                levels.removeLast()
                continue
            }
            let inside = levels[level].inside + entry.name
            guard entry.isFolder else {
                return File(path: root + inside, inside: inside, isNamedInText: entry.isNamedInText)
            }
            guard entry.isNamedInText else {
                try passOver(inside, "its name is not UTF-8 text")
                continue
            }
            levels.append((inside + "/", try entries(of: inside + "/")))
        }
        return nil
    }

    /// The reasons for which a single folder cannot be listed, while others can.
    private static let reasonsOfOneFolder: Set = [EACCES, EPERM, ENAMETOOLONG, ELOOP]

    /// Passes over what cannot be listed.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when the walk is strict.
    private func passOver(_ inside: String, _ reason: String) throws(ApusError) {
        let error = ApusError.file(path: root + inside, message: "the folder cannot be listed: \(reason)")
        if isStrict { throw error }
        tally.add("folder that cannot be listed")
        tally.name(folder: "\((root + inside).printable): \(reason)")
    }

    /// The entries of a folder, last first.
    ///
    /// - Parameter inside: The path inside the listed folder, ending in `/`; empty for the listed folder.
    private func entries(of inside: String) throws(ApusError) -> [Entry] {
        let folder = root + inside
        guard let directory = opendir(folder) else {
            // A subfolder may have been removed since its name was read.
            let code = errno
            if code == ENOENT, !inside.isEmpty { return [] }
            if !inside.isEmpty, Self.reasonsOfOneFolder.contains(code) {
                try passOver(inside, FileContent.systemMessage(code))
                return []
            }
            throw .file(path: folder, message: "the folder cannot be listed: \(FileContent.systemMessage(code))")
        }
        defer { closedir(directory) }
        var entries: [Entry] = []
        errno = 0
        while let found = readdir(directory) {
            let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(found).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
            let count = strlen(start)
            defer { errno = 0 }
            guard strcmp(start, ".") != 0, strcmp(start, "..") != 0 else { continue }
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            let text = String(validating: bytes, as: UTF8.self)
            let name = text ?? Self.escaped(bytes)
            guard !isPruned(inside + name) else { continue }
            let kind =
                start[0] == CChar(UInt8(ascii: "."))
                ? .other("hidden") : Self.kind(in: directory, name: start, type: Int(found.pointee.d_type))
            if case .other(let reason) = kind { tally.add(reason) }
            if case .unknown(let reason) = kind { try passOver(inside + name, reason) }
            guard kind == .folder || kind == .file else { continue }
            entries.append(
                Entry(
                    name: name, key: Array(bytes) + (kind == .folder ? [UInt8(ascii: "/")] : []),
                    isFolder: kind == .folder, isNamedInText: text != nil))
        }
        guard errno == 0 else {
            throw .file(path: folder, message: "the folder cannot be listed: \(FileContent.systemMessage(errno))")
        }
        entries.sort { $1.key.lexicographicallyPrecedes($0.key) }
        return entries
    }

    /// The kind of an entry.
    private enum Kind: Equatable {
        case folder
        /// A file, or a link to one.
        case file
        /// An entry that is passed over, with the reason.
        case other(String)
        /// An entry of which the system does not say what it is, with the reason.
        case unknown(String)
        /// An entry that was removed after its name was read.
        case gone
    }

    /// - Parameter type: What the folder itself says the entry is.
    private static func kind(in directory: OpaquePointer, name: UnsafePointer<CChar>, type: Int) -> Kind {
        var information = stat()
        guard fstatat(dirfd(directory), name, &information, AT_SYMLINK_NOFOLLOW) == 0 else {
            // A folder that may be listed but not entered: its files are listed, so that reading them gives errors.
            switch type {
            case _ where errno == ENOENT: return .gone
            case DT_REG: return .file
            case DT_DIR: return .folder
            default: return .unknown(FileContent.systemMessage(errno))
            }
        }
        let isLink = information.st_mode & S_IFMT == S_IFLNK
        // A link to nothing is listed, so that reading it gives an error.
        if isLink, fstatat(dirfd(directory), name, &information, 0) != 0 { return .file }
        switch information.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return isLink ? .other("link to a folder") : .folder
        case S_IFIFO: return .other("named pipe")
        case S_IFSOCK: return .other("socket")
        default: return .other("device")
        }
    }

    /// The bytes as text, those that are not ASCII written as `\xFF`.
    package static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        bytes.reduce(into: "") { text, byte in
            if (0x20..<0x7F).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "\\x" + (digits.count < 2 ? "0" : "") + digits
            }
        }
    }
}
