import Datasets
import Foundation
import Images
import Platform
import Synchronization
import Vision

/// A folder of pictures with their objects drawn on them, as JPEG files named after the records' ids.
///
/// Links in the folder are not followed, and only drawings of the same id are replaced. If the drawing of another id
/// already has the name, a hash of the id is added to the name.
public final class DrawingFolder: Sendable {
    /// The folder's path.
    public let path: String

    private let folder: OutputFolder
    private let rule: OutputRule
    /// The names of input pictures that lie in this folder.
    private let inputs = Mutex<Set<String>>([])
    /// The subfolder of the last record, cached because records of one folder are consecutive.
    private let latest = Mutex<(parts: [Substring], folder: OutputFolder)?>(nil)

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than drawings may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            folder = try OutputFolder(path: path)
        } catch {
            throw .file(path: path, message: "cannot be made a folder")
        }
        guard access(path, W_OK | X_OK) == 0 else { throw .file(path: path, message: OutputFile.systemMessage(errno)) }
        self.path = path
        rule = OutputRule(kind: .drawing, isForced: replacesOthers)
    }

    /// Registers the picture of a record, so that no drawing replaces it.
    package func note(_ record: ImageRecord) {
        guard let file = record.source.path, let root = FilePlace.resolved(path),
            let picture = FilePlace.resolved(file), picture.hasPrefix(root + "/")
        else { return }
        _ = inputs.withLock { $0.insert(String(picture.dropFirst(root.count + 1))) }
    }

    /// Whether an input picture lies in the folder.
    var holdsInputs: Bool { inputs.withLock { !$0.isEmpty } }

    /// Refuses a record whose drawing would replace another kind of file, as far as is known before the run. Any other
    /// failure to write becomes an error of the record.
    ///
    /// - Throws: ``ApusError/usage(_:)``.
    package func check(_ record: ImageRecord) throws(ApusError) {
        do {
            _ = try place(of: record.id, making: false)
        } catch let refusal as OutputRefusal {
            throw .usage("--draw \(folder.path(of: Self.fileName(of: record.id))) \(refusal.message)")
        } catch {}
    }

    /// Draws the records that have a picture and objects. A drawing that cannot be written becomes an error of its
    /// record.
    ///
    /// - Throws: ``OutputError/failed(name:message:)`` when the disk is full or fails.
    package func draw(_ records: [PredictionRecord]) throws(OutputError) -> [PredictionRecord] {
        var records = records
        for index in records.indices {
            if let error = try draw(records[index]) { records[index].answer = .failure(error) }
        }
        return records
    }

    private func draw(_ record: PredictionRecord) throws(OutputError) -> RecordError? {
        guard let image = record.image, case .success(.objects(let detection)) = record.answer else { return nil }
        func failure(_ code: String, _ reason: String) -> RecordError {
            let name = folder.path(of: Self.fileName(of: record.id))
            return RecordError(stage: "draw", code: code, message: "\(name.shortened.printable) \(reason.printable)")
        }
        do {
            let content = Self.marked(try image.drawing(detection.objects).jpegData(quality: 90), id: record.id)
            let (folder, name) = try place(of: record.id, making: true)
            let earlier = try folder.status(of: name)
            if let earlier, let source = record.sourceFile, FileIdentity(source) == FileIdentity(earlier) {
                return failure("refused", "is the picture itself")
            }
            try OutputFile.replace(name, in: folder, isNew: earlier == nil) { file in
                try content.withUnsafeBytes { try file.write($0) }
            }
            return nil
        } catch let error as OutputError {
            throw error
        } catch let error as SystemError {
            let isOfTheDisk = [ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM].contains(error.code)
            if isOfTheDisk { throw OutputError(error) }
            return failure("unwritable", "cannot be written: \(error.message)")
        } catch let refusal as OutputRefusal {
            return failure("refused", refusal.message)
        } catch {
            return failure("failed", "cannot be drawn: \(error)")
        }
    }

    // MARK: Places

    /// The folder and file name of a record's drawing.
    ///
    /// - Parameter isMaking: Whether missing folders are made.
    /// - Throws: `OutputRefusal` when the drawing may not be written, `SystemError` when it cannot.
    private func place(of id: String, making isMaking: Bool) throws -> (folder: OutputFolder, name: String) {
        let plain = Self.fileName(of: id)
        guard plain.utf8.count < Int(PATH_MAX) else {
            throw SystemError(path: folder.path(of: plain.shortened), code: ENAMETOOLONG)
        }
        var parts = plain.split(separator: "/")
        guard let last = parts.popLast() else { throw SystemError(path: path, code: EINVAL) }
        let parent = try subfolder(parts, making: isMaking)
        for name in [String(last), Self.hashed(String(last), id: id)] {
            if let owner = Self.digest(in: parent.beginning(of: name, byteCount: 128)), owner != Self.digest(of: id) {
                continue
            }
            let whole = (parts.map(String.init) + [name]).joined(separator: "/")
            if inputs.withLock({ $0.contains(whole) }) { throw OutputRefusal("is one of the inputs") }
            try rule.check(name, in: parent)
            return (parent, name)
        }
        throw OutputRefusal("is the drawing of another picture")
    }

    private func subfolder(_ parts: [Substring], making isMaking: Bool) throws -> OutputFolder {
        if let latest = latest.withLock({ $0 }), latest.parts == parts { return latest.folder }
        var inner = folder
        for part in parts {
            if let status = try inner.status(of: String(part)), status.st_mode & S_IFMT == S_IFLNK {
                throw OutputRefusal("leads through the link \(inner.path(of: String(part))), which is not followed")
            }
            inner = try inner.subfolder(String(part), making: isMaking)
        }
        latest.withLock { [inner] in $0 = (parts, inner) }
        return inner
    }

    // MARK: Names

    /// The maximum length of a name in bytes, which leaves room for a hash, the extension and the suffix of partial
    /// files.
    private static let maximumNameBytes = 200

    /// The path of a record's drawing within the folder: its id without parts that lead out of the folder, with `.jpg`
    /// appended unless it has a JPEG extension.
    package static func fileName(of id: String) -> String {
        let parts = id.split(separator: "/").filter { $0 != "." && $0 != ".." }.map { part in
            var name = String(String.UnicodeScalarView(part.unicodeScalars.map { $0.value < 32 ? "_" : $0 }))
            while name.utf8.count > maximumNameBytes { name.removeFirst() }
            return name
        }
        let name = parts.isEmpty ? "picture" : parts.joined(separator: "/")
        let isJPEG = [".jpg", ".jpeg"].contains { name.lowercased().hasSuffix($0) }
        return isJPEG ? name : name + ".jpg"
    }

    /// The name with a hash of the id before its extension.
    private static func hashed(_ name: String, id: String) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        return "\(name[..<dot])-\(digest(of: id).prefix(16))\(name[dot...])"
    }

    // MARK: Marks

    /// The start of the comment that identifies a drawing. 32 digits, a digest of the id, follow.
    private static let comment = "Drawn by apus predict --draw, "

    /// The segment of the comment without the digits: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.4.5
    package static let mark: [UInt8] = [0xFF, 0xFE, 0, UInt8(2 + comment.utf8.count + 32)] + Array(comment.utf8)

    /// Inserts the comment into a JPEG file, after its first segment, which is that of JFIF.
    private static func marked(_ file: Data, id: String) -> Data {
        let bytes = [UInt8](file.prefix(6))
        let hasFirst = bytes.count == 6 && bytes[2] == 0xFF && bytes[3] == 0xE0
        let place = min(file.count, hasFirst ? 4 + Int(bytes[4]) << 8 + Int(bytes[5]) : 2)
        return file.prefix(place) + Data(mark) + Data(digest(of: id).utf8) + file.dropFirst(place)
    }

    private static func digest(of id: String) -> String {
        var hash = StableHash()
        hash.combine(id)
        return hash.text
    }

    /// The digits in the comment of a drawing; nil for other files.
    private static func digest(in beginning: [UInt8]) -> String? {
        guard let range = beginning.firstRange(of: mark), range.upperBound + 32 <= beginning.count else { return nil }
        return String(decoding: beginning[range.upperBound..<range.upperBound + 32], as: UTF8.self)
    }
}

extension String {
    /// The text, with its middle left out if it is too long for a row.
    fileprivate var shortened: String { utf8.count > 300 ? "\(prefix(100)) … \(suffix(100))" : self }
}
