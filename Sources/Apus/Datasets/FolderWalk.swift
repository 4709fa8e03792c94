import Foundation

/// Goes through the files of a folder and its subfolders in the order of their paths, byte by byte.
///
/// Only the names of the folders on the way to the present one are held. Hidden files and folders are passed over, and
/// so are links to folders, which may lead in a circle, and what is neither a file nor a folder.
struct FolderWalk {
    /// A file.
    struct File {
        /// The path, with that of the listed folder in front.
        let path: String
        /// The path inside the listed folder.
        let inside: String
        /// Whether the name is UTF-8 text; other bytes are written as `\xFF` in the path, which then leads nowhere.
        let isNamedInText: Bool
    }

    private struct Entry {
        let name: String
        /// The name's bytes, with `/` behind a folder's, so that they order as the paths of all files do.
        let key: [UInt8]
        let isFolder: Bool
        let isNamedInText: Bool
    }

    private let root: String
    private let isPruned: (String) -> Bool
    /// The folders on the way: the path inside the listed one with `/` behind it, and what is left of each, last first.
    private var levels: [(inside: String, entries: [Entry])] = []

    /// - Parameter isPruned: Whether a file or folder, by its path inside the listed one, is passed over.
    /// - Throws: ``ApusError/file(path:message:)`` when the folder cannot be listed.
    init(_ folder: String, isPruned: @escaping (String) -> Bool) throws(ApusError) {
        var end = folder[...]
        while end.count > 1, end.last == "/" { end.removeLast() }
        root = end == "/" ? "/" : end + "/"
        self.isPruned = isPruned
        levels = [("", try Self.entries(of: root))]
    }

    /// The next file; nil after the last.
    mutating func next() throws(ApusError) -> File? {
        while let level = levels.indices.last {
            guard let entry = levels[level].entries.popLast() else {
                levels.removeLast()
                continue
            }
            let inside = levels[level].inside + entry.name
            if isPruned(inside) { continue }
            guard entry.isFolder else {
                return File(path: root + inside, inside: inside, isNamedInText: entry.isNamedInText)
            }
            guard entry.isNamedInText else {
                throw .file(path: root + inside, message: "the folder cannot be listed: its name is not UTF-8 text")
            }
            levels.append((inside + "/", try Self.entries(of: root + inside + "/")))
        }
        return nil
    }

    /// What is in a folder, last first.
    private static func entries(of folder: String) throws(ApusError) -> [Entry] {
        guard let directory = opendir(folder) else {
            throw .file(
                path: folder, message: "the folder cannot be listed: \(FileContent.systemMessage(errno))")
        }
        defer { closedir(directory) }
        var entries: [Entry] = []
        errno = 0
        while let found = readdir(directory) {
            let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(found).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
            let count = strlen(start)
            guard count > 0, start[0] != CChar(UInt8(ascii: ".")) else { continue }
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            guard let isFolder = isFolder(in: directory, name: start) else { continue }
            let text = String(validating: bytes, as: UTF8.self)
            entries.append(
                Entry(
                    name: text ?? escaped(bytes), key: Array(bytes) + (isFolder ? [UInt8(ascii: "/")] : []),
                    isFolder: isFolder, isNamedInText: text != nil))
            errno = 0
        }
        guard errno == 0 else {
            throw .file(path: folder, message: "the folder cannot be listed: \(FileContent.systemMessage(errno))")
        }
        entries.sort { $1.key.lexicographicallyPrecedes($0.key) }
        return entries
    }

    /// Whether a name is that of a folder, or of a file or a link to one; nil for anything else.
    private static func isFolder(in directory: OpaquePointer, name: UnsafePointer<CChar>) -> Bool? {
        var information = stat()
        guard fstatat(dirfd(directory), name, &information, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        switch information.st_mode & S_IFMT {
        case S_IFDIR: return true
        case S_IFREG: return false
        case S_IFLNK:
            // A link that leads nowhere is listed, so that it is missed.
            guard fstatat(dirfd(directory), name, &information, 0) == 0 else { return false }
            return information.st_mode & S_IFMT == S_IFREG ? false : nil
        default: return nil
        }
    }

    /// The text with bytes that are no ASCII character written as `\xFF`.
    static func escaped(_ bytes: some Sequence<UInt8>) -> String {
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
