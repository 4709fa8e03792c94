import Foundation

/// A file that is being written, under a name of its own until it is whole: `NAME.0123456789abcdef.partial`.
///
/// The name is random and new, so that no link can lie there. The file is locked as long as it is open; one that is not
/// was left by a process that was killed.
package struct PartialFile {
    package let file: OutputFile
    private let folder: OutputFolder
    private let target: String
    private let name: String

    private static let ending = ".partial"

    /// Makes the file that is to be called `target`.
    package init(for target: String, in folder: OutputFolder, calls: SystemCalls = SystemCalls()) throws(SystemError) {
        (self.folder, self.target) = (folder, target)
        while true {
            let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            let name = Self.beginning(target) + String(repeating: "0", count: 16 - number.count) + number + Self.ending
            let descriptor: Int32
            do {
                descriptor = try folder.create(name)
            } catch {
                if error.code == EEXIST { continue }
                throw SystemError(path: folder.path(of: target), code: error.code)
            }
            // Without locks nothing is taken for left over while it is young.
            _ = flock(descriptor, LOCK_EX | LOCK_NB)
            if let earlier = try folder.status(of: target), earlier.st_mode & S_IFMT == S_IFREG {
                fchmod(descriptor, earlier.st_mode & 0o777)
            }
            self.name = name
            file = OutputFile(name: folder.path(of: target), owning: descriptor, calls: calls)
            return
        }
    }

    /// The path under which the file can be opened until it has its name.
    package var path: String { folder.path(of: name) }

    /// Gives the file its name, in the place of what has it.
    ///
    /// - Parameter isNew: Whether nothing may have the name.
    package func rename(isNew: Bool = false) throws(SystemError) {
        if isNew { try folder.renameNew(name, to: target) } else { try folder.rename(name, to: target) }
    }

    /// Removes the file.
    func discard() { folder.remove(name) }

    /// Removes what processes that were killed have left of files of this name.
    package static func removeLeftovers(of target: String, in folder: OutputFolder) {
        let beginning = beginning(target)
        for name in folder.names() {
            guard name.hasPrefix(beginning), name.hasSuffix(ending),
                name.utf8.count == beginning.utf8.count + 16 + ending.utf8.count,
                name.utf8.dropFirst(beginning.utf8.count).prefix(16).allSatisfy({
                    (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
                }),
                let descriptor = try? folder.openForReading(name)
            else { continue }
            defer { close(descriptor) }
            var information = stat()
            // Between making a file and locking it lies a moment.
            guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
                time(nil) - information.st_mtim.tv_sec > 10, flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            folder.remove(name)
        }
    }

    /// With room for what follows in the 255 bytes that a name may have.
    private static func beginning(_ target: String) -> String {
        var beginning = target
        while beginning.utf8.count > 220 { beginning.removeLast() }
        return beginning + "."
    }
}
