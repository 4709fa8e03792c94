import Glibc

/// The one rule for every file that the command writes. It may be written when
///
/// - nothing is there, or an empty file;
/// - it is a pipe, a terminal or another character device, which is written to directly;
/// - an earlier run of the same command made it;
/// - it is another regular file and the user allows it (`--force`).
///
/// A file that belongs to another run, such as its manifest, or that another process is writing is never replaced.
/// ``OutputClaims`` checks the files that this run reads and its other outputs.
package struct OutputRule: Sendable {
    let kind: OutputKind
    let isForced: Bool

    package init(kind: OutputKind, isForced: Bool) {
        (self.kind, self.isForced) = (kind, isForced)
    }

    /// Refuses an entry of a folder that may not be written.
    ///
    /// - Throws: ``OutputRefusal``.
    package func check(_ name: String, in folder: OutputFolder) throws(OutputRefusal) {
        guard let status = try status(of: name, in: folder) else {
            return try checkSideFiles(of: name, in: folder)
        }
        if Self.isLocked(name, in: folder) {
            throw OutputRefusal("is being written by \(OutputLock.owner(of: status))")
        }
        if kind.isWrittenInPlace, status.st_nlink > 1 {
            throw OutputRefusal("has a second name (a hard link), under which it would change too")
        }
        if isMade(name, in: folder) { return }
        if let run = Self.runOwning(name, in: folder) {
            throw OutputRefusal(
                run == name
                    ? "is the output of another command, as \(folder.path(of: run))\(SideFileSuffix.manifest) beside it says; remove both, "
                        + "or choose another name"
                    : "belongs to the run whose output is \(folder.path(of: run)), and is never replaced")
        }
        guard status.st_size == 0 || isForced else { throw stranger("is there already") }
        try checkSideFiles(of: name, in: folder)
    }

    /// Whether an entry of a folder may be written.
    package func allows(_ name: String, in folder: OutputFolder) -> Bool { (try? check(name, in: folder)) != nil }

    /// Whether an earlier run of the command made a file.
    private func isMade(_ name: String, in folder: OutputFolder) -> Bool {
        switch kind.mark {
        case .bytes(let mark, let within):
            return folder.beginning(of: name, byteCount: within + mark.count).contains(mark)
        case .sideFile(let isPresent): return isPresent(folder.path(of: name))
        }
    }

    /// Refuses an output when files beside it have the names of its side files but another origin; these are never
    /// replaced.
    private func checkSideFiles(of name: String, in folder: OutputFolder) throws(OutputRefusal) {
        if kind.sideSuffixes.isEmpty || isMade(name, in: folder) { return }
        for suffix in kind.sideSuffixes {
            let mark = SideFileSuffix.firstListingMark
            if suffix == SideFileSuffix.firstListing,
                folder.beginning(of: name + suffix, byteCount: mark.count) == mark
            {
                continue
            }
            if let status = (try? folder.status(of: name + suffix)) ?? nil,
                status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
            {
                throw OutputRefusal(
                    "goes with \(folder.path(of: name + suffix)), which is there already and was not made by an "
                        + "earlier apus \(kind.command); choose another name")
            }
        }
    }

    private func stranger(_ what: String) -> OutputRefusal {
        OutputRefusal(
            "\(what), and was not made by an earlier apus \(kind.command); choose another name, or replace it with "
                + "--force")
    }

    /// The status of an entry; nil when there is none.
    private func status(of name: String, in folder: OutputFolder) throws(OutputRefusal) -> stat? {
        let found: stat?
        do {
            found = try folder.status(of: name)
        } catch {
            throw OutputRefusal(error.message)
        }
        guard let found else { return nil }
        switch found.st_mode & S_IFMT {
        case S_IFREG: return found
        case S_IFDIR: throw OutputRefusal("is a folder, not a file")
        case S_IFLNK: throw OutputRefusal("is a link, which is not followed")
        default: throw OutputRefusal("is not a regular file")
        }
    }

    private static func isLocked(_ name: String, in folder: OutputFolder) -> Bool {
        guard let descriptor = try? folder.openForReading(name) else { return false }
        defer { FileLock.release(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The output of the run that a file belongs to, which is `OUTPUT` itself, `OUTPUT.run.json` or another file beside
    /// it.
    private static func runOwning(_ name: String, in folder: OutputFolder) -> String? {
        var outputs = [name]
        for suffix in [SideFileSuffix.records] + SideFileSuffix.ofDatabases where name.hasSuffix(suffix) {
            outputs.append(String(name.dropLast(suffix.count)))
        }
        if let end = name.indices.last(where: { name[$0...].hasPrefix(".run.") }) {
            outputs.append(String(name[..<end]))
        }
        return outputs.first { output in
            !output.isEmpty && ((try? folder.status(of: output + SideFileSuffix.manifest)) ?? nil) != nil
        }
    }
}

/// Why a file may not be written: a message that follows the file's name.
package struct OutputRefusal: Error {
    package let message: String

    package init(_ message: String) { self.message = message }
}
