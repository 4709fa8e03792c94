import Foundation
import Planning

/// A file of measured times, as JSON.
///
/// Processes that write it at the same time do not lose each other's times: each adds its own to what is there, under a
/// lock, and replaces the file at once.
package struct TuningFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    private struct Document: Codable {
        var format = "apus tuning 1"
        /// As ``TuningRecords/entries``.
        var devices: [String: [String: TuningRecords.Entry]]
    }

    /// A file of this many bytes holds something else.
    private static let mostBytes = 64 << 20

    /// What the file holds; nothing when it is not there.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when it cannot be read or holds something else.
    package func read() throws(ApusError) -> TuningRecords {
        var information = stat()
        if stat(path, &information) != 0, errno == ENOENT || errno == ENOTDIR { return TuningRecords() }
        guard information.st_mode & S_IFMT == S_IFREG, information.st_size <= Self.mostBytes else {
            throw .file(path: path, message: "is no file of measured times")
        }
        let data = try FileContent.read(path)
        guard let document = try? JSONDecoder().decode(Document.self, from: data),
            document.format == Document(devices: [:]).format
        else { throw .file(path: path, message: "is no file of measured times that this version reads") }
        return TuningRecords(entries: document.devices)
    }

    /// Adds records to those in the file, in place of older ones for the same layers.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when the file cannot be written, or holds something else.
    package func add(_ records: TuningRecords) throws(ApusError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw .file(path: path, message: "its folder cannot be made")
        }
        let lock: Int32
        do {
            lock = try OutputFile.openInPlace(path + ".lock").descriptor
        } catch {
            throw .file(path: error.path, message: "cannot be locked: \(error.message)")
        }
        defer { close(lock) }
        // Where the file system has no locks, the file is still replaced at once.
        while flock(lock, LOCK_EX) != 0, errno == EINTR {}
        var all = try read()
        all.merge(records)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(devices: all.entries)
        try OutputFile.replace(path) { file in
            try file.write(String(decoding: try encoder.encode(document), as: UTF8.self) + "\n")
        }
    }
}
