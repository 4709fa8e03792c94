import Caching
import FoundationEssentials
import Glibc
import Planning
import Platform

/// A file of measured times and chosen precisions, as JSON.
///
/// Processes that write it at the same time keep each other's times: under a lock, each adds its own to those in the
/// file and replaces the file at once.
package struct TuningFile: Sendable {
    package let path: String
    /// Whether the file is read only if this user or root wrote it, as in the cache folder, where the user did not name
    /// it.
    private let isPrivate: Bool

    package init(path: String, isPrivate: Bool = false) {
        self.path = path
        self.isPrivate = isPrivate
    }

    /// Makes the file of a source; nil when times are kept nowhere.
    package init?(_ source: TuningSource) {
        guard let path = source.path else { return nil }
        self.init(path: path, isPrivate: source == .cached)
    }

    private struct Document: Codable {
        var format = "apus tuning 1"
        /// The entries, as in ``TuningCache/entries``.
        var devices: [String: [String: TuningCache.Entry]]
        /// The choices, as in ``TuningCache/precisions``; nil where there are none.
        var precisions: [String: [String: PrecisionChoice]]?
    }

    /// The maximum size in bytes; a larger file holds something else.
    private static let maximumByteCount = 64 << 20

    /// Reads the records; there are none when the file does not exist.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when it cannot be read or holds something else.
    package func read() throws(ApusError) -> TuningCache {
        var information = stat()
        if stat(path, &information) != 0, errno == ENOENT || errno == ENOTDIR { return TuningCache() }
        guard information.st_mode & S_IFMT == S_IFREG, information.st_size <= Self.maximumByteCount else {
            throw .file(path: path, message: "is no file of measured times")
        }
        if isPrivate, let problem = UserCache.distrust(folder) ?? UserCache.distrust(path) {
            throw .file(path: path, message: "is not trusted: \(problem)")
        }
        let data = try FileContent.read(path)
        guard let document = try? JSONDecoder().decode(Document.self, from: data),
            document.format == Document(devices: [:]).format
        else { throw .file(path: path, message: "is no file of measured times that this version reads") }
        return TuningCache(entries: document.devices, precisions: document.precisions ?? [:])
    }

    /// Adds records to the file, and replaces older ones for the same layers.
    ///
    /// - Parameter waiting: Called every 50 ms while another process holds the lock, with the number of earlier calls.
    ///   An error that it throws ends the waiting.
    /// - Throws: ``ApusError/file(path:message:)`` when the file cannot be written, or holds something else; what
    ///   `waiting` throws.
    package func add(
        _ records: TuningCache, waiting: (_ count: Int) throws(ApusError) -> Void = { _ in }
    ) throws(ApusError) {
        if isPrivate { try? UserCache.make(folder) }
        try OutputFolder.make(folder)
        let lock: Int32
        do {
            lock = try OutputFile.openInPlace(path + ".lock", mode: isPrivate ? 0o600 : 0o666).descriptor
        } catch {
            throw .file(path: error.path, message: "cannot be locked: \(error.message)")
        }
        defer { FileLock.release(lock) }
        // Where the file system has no locks, the file is replaced at once all the same.
        var count = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0, [EINTR, EWOULDBLOCK].contains(errno) {
            try waiting(count)
            count += 1
            usleep(50_000)
        }
        var all = try read()
        all.merge(records)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            devices: all.entries, precisions: all.precisions.isEmpty ? nil : all.precisions)
        try OutputFile.replace(path) { file in
            try file.write(String(decoding: try encoder.encode(document), as: UTF8.self) + "\n")
        }
        // Until then other users cannot reach the file, since its folder is the user's own.
        if isPrivate { chmod(path, 0o600) }
    }

    private var folder: String { OutputFolder.folder(around: path) }
}
