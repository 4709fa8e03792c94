import Glibc

/// An exclusive lock on a file that is written in place, taken before the file has content.
///
/// The lock belongs to the file, not to its name; other processes may still read the file. SQLite's own locks (`fcntl`)
/// and this one (`flock`) do not affect each other.
package final class OutputLock: Sendable {
    /// How many bytes the file had when it was locked.
    package let byteCount: Int
    private let place: FilePlace
    private let descriptor: Int32
    private let isNew: Bool
    private let earlierManifest: ManifestVersion?

    /// The version of the manifest, which changes whenever it is written.
    private struct ManifestVersion: Equatable {
        private let identity: FileIdentity
        private let modified: [Int]

        init?(_ output: FilePlace) {
            var status = stat()
            guard lstat(output.path + SideFileSuffix.manifest, &status) == 0 else { return nil }
            identity = FileIdentity(status)
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    /// Locks a file; creates it where it is missing.
    ///
    /// - Parameter name: The name of the file in messages.
    /// - Throws: ``ApusError/usage(_:)`` when another process has locked it, naming the process;
    ///   ``ApusError/file(path:message:)``.
    package init(_ place: FilePlace, named name: String) throws(ApusError) {
        while true {
            let isNew = access(place.path, F_OK) != 0
            let opened: (descriptor: Int32, status: stat)
            do {
                opened = try OutputFile.openInPlace(place.path)
            } catch {
                throw .file(path: name, message: error.message)
            }
            guard flock(opened.descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                defer { close(opened.descriptor) }
                guard code == EWOULDBLOCK else { throw .file(path: name, message: OutputFile.systemMessage(code)) }
                let owner = Self.owner(of: opened.status)
                throw .usage("\(name): is being written by \(owner)")
            }
            // The previous holder of the lock may have replaced or removed the file between the two calls.
            guard let now = try? FilePlace(place.path, followsLink: false), now.isSame(as: place),
                now.identity == FileIdentity(opened.status)
            else {
                FileLock.release(opened.descriptor)
                continue
            }
            (self.place, self.isNew, descriptor) = (place, isNew, opened.descriptor)
            earlierManifest = ManifestVersion(place)
            byteCount = Int(opened.status.st_size)
            return
        }
    }

    deinit {
        // A run that ended before it wrote its manifest leaves no file.
        var status = stat()
        if isNew, fstat(descriptor, &status) == 0, status.st_size == 0,
            ManifestVersion(place) == earlierManifest
        {
            unlink(place.path)
        }
        FileLock.release(descriptor)
    }

    /// Removes the partial files that killed runs into this file left beside it.
    package func removeLeftovers(besides suffixes: [String]) {
        guard let folder = try? OutputFolder(path: place.folder) else { return }
        for suffix in suffixes { PartialFile.removeLeftovers(of: place.name + suffix, in: folder) }
    }

    /// The process that has locked a file, as the system lists it:
    /// https://man7.org/linux/man-pages/man5/proc_locks.5.html
    package static func owner(of status: stat) -> String {
        guard let data = try? FileContent.read("/proc/locks") else { return "another process" }
        // 1: FLOCK  ADVISORY  WRITE 4711 fe:00:1181 0 EOF
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = Int(words[4]), process > 0,
                let inode = words[5].split(separator: ":").last, UInt64(inode) == UInt64(status.st_ino)
            else { continue }
            return "process \(process)"
        }
        return "another process"
    }
}
