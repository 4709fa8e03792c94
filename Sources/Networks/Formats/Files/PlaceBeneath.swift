import Glibc
import Tensors

/// Opens files that lie in a folder or beneath it, even if files are renamed or linked at the same time.
///
/// A path may lead elsewhere by the time it is opened, but a descriptor cannot. The place is therefore first opened
/// without access, because opening it for reading may set off a device. Then the descriptor's path is checked, and only
/// then is the file opened for reading.
package enum PlaceBeneath {
    /// The maximum length of a path on Linux, including the terminating zero byte.
    private static let maximumPathByteCount = 4096

    /// Linux's `O_PATH`, which Swift does not import.
    private static let pathOnly: Int32 = 0o10_000_000

    /// Opens a regular file for reading. Symbolic links are followed if they lead to a place beneath the folder.
    ///
    /// - Parameters:
    ///   - location: A relative path without `..`.
    ///   - taken: Called when the place is open without access, before its path is checked.
    /// - Throws: ``FormatError``.
    package static func open(
        _ location: String, in folder: String, taken: () -> Void = {}
    ) throws(FormatError) -> Int32 {
        let root = Glibc.open(folder, pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw ModelFile.systemError("the model's folder") }
        defer { close(root) }
        let place = openat(root, location, pathOnly | O_CLOEXEC)
        guard place >= 0 else { throw ModelFile.systemError("\"\(location)\"") }
        defer { close(place) }
        taken()
        guard let rootPath = path(of: root), let placePath = path(of: place) else {
            return try openWithoutLinks(location, beneath: root)
        }
        let beginning = rootPath.last == UInt8(ascii: "/") ? rootPath : rootPath + [UInt8(ascii: "/")]
        guard placePath.starts(with: beginning) else {
            throw .invalid("\"\(location)\" leads outside the model's folder")
        }
        var status = stat()
        guard fstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable("\"\(location)\" is not a regular file")
        }
        let opened = Glibc.open("/proc/self/fd/\(place)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw ModelFile.systemError("\"\(location)\"") }
        return opened
    }

    /// The path of a descriptor's file; nil where the system does not report it.
    private static func path(of descriptor: Int32) -> [UInt8]? {
        var characters = [CChar](repeating: 0, count: maximumPathByteCount)
        let count = readlink("/proc/self/fd/\(descriptor)", &characters, maximumPathByteCount)
        guard count > 0, count < maximumPathByteCount, characters[0] == CChar(UInt8(ascii: "/")) else { return nil }
        return characters[..<count].map { UInt8(bitPattern: $0) }
    }

    /// Opens a file folder by folder and follows no link; used where there is no `/proc`.
    private static func openWithoutLinks(_ location: String, beneath root: Int32) throws(FormatError) -> Int32 {
        var folder = dup(root)
        let parts = location.pathParts()
        for part in parts.dropLast() where folder >= 0 {
            let next = openat(folder, String(part), pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            close(folder)
            folder = next
        }
        guard folder >= 0, let name = parts.last else { throw ModelFile.systemError("\"\(location)\"") }
        defer { close(folder) }
        var status = stat()
        guard fstatat(folder, String(name), &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
        else {
            throw .unreadable("\"\(location)\" is not a regular file")
        }
        let opened = openat(folder, String(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw ModelFile.systemError("\"\(location)\"") }
        return opened
    }
}
