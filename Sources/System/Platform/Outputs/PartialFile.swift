import Glibc

/// A file that is being written, under a temporary name until it is complete: `NAME.0123456789abcdef.partial`.
///
/// The name is random and new, so that no link can lie there. The file is locked while it is open; one that is not
/// locked was left by a killed process.
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
            // If the file system refuses the lock, another process still takes no young file for a left-over one.
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

    /// Gives the file its name, and replaces a file that has it.
    ///
    /// - Parameter isNew: Whether the name must not be taken.
    package func rename(isNew: Bool = false) throws(SystemError) {
        if isNew { try folder.renameNew(name, to: target) } else { try folder.rename(name, to: target) }
    }

    /// Removes the file.
    func discard() { folder.remove(name) }

    /// Removes the partial files that killed processes left.
    ///
    /// - Parameter target: The name whose partial files are removed; nil for those of every name.
    package static func removeLeftovers(of target: String? = nil, in folder: OutputFolder) {
        let all = folder.names()
        let names = all.filter { isPartial($0, of: target) && isLeft($0, in: folder) }
        if !names.isEmpty {
            // Another process locks a file right after it has made it.
            usleep(50_000)
            for name in names { _ = isLeft(name, in: folder) { folder.remove(name) } }
        }
        // What SQLite wrote beside a partial file that is gone.
        for name in all {
            guard let partial = SideFileSuffix.database(of: name), isPartial(partial, of: target),
                case .some(.none) = try? folder.status(of: partial)
            else { continue }
            folder.remove(name)
        }
    }

    /// Whether no process has the lock of a partial file.
    ///
    /// - Parameter body: Is called if so, while this process has the lock.
    private static func isLeft(_ name: String, in folder: OutputFolder, _ body: () -> Void = {}) -> Bool {
        guard let descriptor = try? folder.openForReading(name) else { return false }
        defer { FileLock.release(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return false }
        body()
        return true
    }

    /// Whether a name has the form of those that ``init(for:in:calls:)`` makes for a target, or for any.
    private static func isPartial(_ name: String, of target: String?) -> Bool {
        guard name.hasSuffix(ending) else { return false }
        let parts = name.dropLast(ending.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let number = parts.last, number.utf8.count == 16,
            number.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return false }
        return target.map { beginning($0) == parts.dropLast().joined(separator: ".") + "." } ?? true
    }

    /// The beginning of the temporary name, short enough that all of it fits the 255 bytes of a name.
    private static func beginning(_ target: String) -> String {
        var beginning = target
        while beginning.utf8.count > 220 { beginning.removeLast() }
        return beginning + "."
    }
}
