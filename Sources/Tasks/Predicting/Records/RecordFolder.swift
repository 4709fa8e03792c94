import Datasets
import FoundationEssentials
import Glibc
import Platform
import Preparation
import Synchronization
import Tensors

/// A folder with a file for each record of a run, named after the records' ids.
///
/// Links in the folder are not followed, and only files of the same id are replaced. If the file of another id already
/// has the name, a hash of the id is added to the name. Each file begins with a mark, which a digest of the id follows.
package final class RecordFolder: Sendable {
    /// What the files of a folder are.
    package struct Form: Sendable {
        /// How the command recognises them.
        let kind: OutputKind
        /// The option that names the folder.
        let option: String
        /// The extensions of their names; the first is appended where there is none of them.
        let fileExtensions: [String]
        /// The stage of errors.
        let stage: String
        /// A noun for messages.
        let noun: String
        /// A verb for messages.
        let verb: String
        /// The bytes that stand before the digest of a record's id.
        let mark: [UInt8]
        /// Whether a file is on the disk before the row that names it is written.
        let isDurable: Bool
        /// Whether the first extension takes the place of the picture's, as tools that pair files by name want.
        let replacesExtension: Bool
        /// The 32 characters that stand for a record behind the mark.
        let digits: @Sendable (_ id: String) -> String

        package init(
            kind: OutputKind, option: String, fileExtensions: [String], stage: String = "write", noun: String,
            verb: String = "encoded", mark: [UInt8], isDurable: Bool = true, replacesExtension: Bool = false,
            digits: @escaping @Sendable (_ id: String) -> String = { RecordFolder.digest(of: $0) }
        ) {
            (self.kind, self.option, self.fileExtensions) = (kind, option, fileExtensions)
            (self.stage, self.noun, self.verb, self.mark) = (stage, noun, verb, mark)
            (self.isDurable, self.replacesExtension, self.digits) = (isDurable, replacesExtension, digits)
        }
    }

    /// The folder's path.
    package let path: String

    /// What the files are.
    package let form: Form
    private let folder: OutputFolder
    private let rule: OutputRule
    /// The names of input pictures that lie in this folder.
    private let inputs = Mutex<Set<String>>([])
    /// The subfolders from which files of killed runs were removed, by path.
    private let cleaned = Mutex<Set<String>>([])
    /// The subfolder of the last record, cached because records of one folder are consecutive.
    private let latest = Mutex<(parts: [Substring], folder: OutputFolder)?>(nil)

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files that the command did not make may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    package init(path: String, _ form: Form, replacesOthers: Bool) throws(ApusError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            folder = try OutputFolder(path: path)
        } catch {
            throw .file(path: path, message: "cannot be made a folder")
        }
        guard access(path, W_OK | X_OK) == 0 else { throw .file(path: path, message: OutputFile.systemMessage(errno)) }
        (self.path, self.form) = (path, form)
        rule = OutputRule(kind: form.kind, isForced: replacesOthers)
    }

    /// Registers the picture of a record, so that no file of the folder replaces it.
    package func note(_ record: ImageRecord) {
        guard let file = record.source.path, let root = FilePlace.resolved(path),
            let picture = FilePlace.resolved(file), picture.hasPrefix(root + "/")
        else { return }
        _ = inputs.withLock { $0.insert(String(picture.dropFirst(root.count + 1))) }
    }

    /// Whether an input picture lies in the folder.
    package var holdsInputs: Bool { inputs.withLock { !$0.isEmpty } }

    /// Refuses a dataset whose folders would list the files, so that a later run would take them for pictures.
    ///
    /// - Throws: ``ApusError/usage(_:)``.
    package func check(isNotTakenBy dataset: any Dataset) throws(ApusError) {
        let root = path.hasSuffix("/") ? path : path + "/"
        guard form.fileExtensions.contains(where: { dataset.takes(root + "picture" + $0) }) else { return }
        throw .usage(
            "\(form.option) \(path) lies in a folder of the inputs, whose next run would take its files for pictures; "
                + "choose another folder, or leave it out with --exclude")
    }

    /// Refuses a record whose file would replace another kind of file, as far as is known before the run. Any other
    /// failure to write becomes an error of the record.
    ///
    /// - Throws: ``ApusError/usage(_:)``.
    package func check(_ record: ImageRecord) throws(ApusError) {
        do {
            _ = try place(of: record.id, making: false)
        } catch let refusal as OutputRefusal {
            throw .usage("\(form.option) \(folder.path(of: fileName(of: record.id))) \(refusal.message)")
        } catch {}
    }

    /// Writes the file of a record.
    ///
    /// - Parameter content: The file's content, without the mark's digits.
    /// - Returns: The file's path within the folder, or why it could not be written.
    /// - Throws: ``OutputError/failed(name:message:)`` when the disk is full or fails.
    package func write(
        _ content: Result<Data, any Error>, of record: PredictionRecord<ImageAnswer>
    ) throws(OutputError) -> Result<String, RecordError> {
        func failure(_ code: String, _ reason: String) -> Result<String, RecordError> {
            let name = folder.path(of: fileName(of: record.id))
            let message = "\(name.shortened.printable) \(reason.printable)"
            return .failure(RecordError(stage: form.stage, code: code, message: message))
        }
        do {
            let content = try content.get()
            let (folder, name, path) = try place(of: record.id, making: true)
            let earlier = try folder.status(of: name)
            if let earlier, let source = record.sourceFile, FileIdentity(source) == FileIdentity(earlier) {
                return failure("refused", "is the picture itself")
            }
            try OutputFile.replace(name, in: folder, isNew: earlier == nil, isDurable: form.isDurable) { file in
                try content.withUnsafeBytes { try file.write($0) }
            }
            return .success(path)
        } catch let error as OutputError {
            throw error
        } catch let error as SystemError {
            let isOfTheDisk = [ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM].contains(error.code)
            if isOfTheDisk { throw OutputError(error) }
            return failure("unwritable", "cannot be written: \(error.message)")
        } catch let refusal as OutputRefusal {
            return failure("refused", refusal.message)
        } catch {
            return failure("failed", "cannot be \(form.verb): \(error)")
        }
    }

    // MARK: Places

    /// The folder and file name of a record's file, and its path within this folder.
    ///
    /// - Parameter isMaking: Whether missing folders are made.
    /// - Throws: `OutputRefusal` when the file may not be written, `SystemError` when it cannot.
    private func place(of id: String, making isMaking: Bool) throws -> (
        folder: OutputFolder, name: String, path: String
    ) {
        let plain = fileName(of: id)
        guard plain.utf8.count < Int(PATH_MAX) else {
            throw SystemError(path: folder.path(of: plain.shortened), code: ENAMETOOLONG)
        }
        var parts = plain.pathParts()
        guard let last = parts.popLast() else { throw SystemError(path: path, code: EINVAL) }
        let parent = try subfolder(parts, making: isMaking)
        if isMaking, cleaned.withLock({ $0.insert(parts.joined(separator: "/")).inserted }) {
            PartialFile.removeLeftovers(in: parent)
        }
        for name in [String(last), Self.hashed(String(last), id: id)] {
            if let owner = digest(in: parent.beginning(of: name, byteCount: 192)), owner != form.digits(id) {
                continue
            }
            let whole = (parts.map(String.init) + [name]).joined(separator: "/")
            if inputs.withLock({ $0.contains(whole) }) { throw OutputRefusal("is one of the inputs") }
            try rule.check(name, in: parent)
            return (parent, name, whole)
        }
        throw OutputRefusal("is the \(form.noun) of another picture")
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

    /// The path of a record's file within the folder: its id without parts that lead out of the folder, with an
    /// extension of the form.
    package func fileName(of id: String) -> String {
        Self.fileName(of: form.replacesExtension ? Self.withoutExtension(id) : id, form.fileExtensions)
    }

    /// The id without the extension of a file's name, such as `.jpg`.
    private static func withoutExtension(_ id: String) -> String {
        guard let dot = id.lastIndex(of: "."), dot > id.startIndex, id[id.index(before: dot)] != "/" else { return id }
        let ending = id[dot...].dropFirst()
        let isExtension =
            (1...5).contains(ending.count) && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isExtension ? String(id[..<dot]) : id
    }

    /// The path of a record's file, with the first of `fileExtensions` appended unless it has one of them.
    package static func fileName(of id: String, _ fileExtensions: [String]) -> String {
        let parts = id.pathParts().filter { $0 != "." && $0 != ".." }.map { part in
            var name = String(String.UnicodeScalarView(part.unicodeScalars.map { $0.value < 32 ? "_" : $0 }))
            while name.utf8.count > maximumNameBytes { name.removeFirst() }
            return name
        }
        let name = parts.isEmpty ? "picture" : parts.joined(separator: "/")
        let hasExtension = fileExtensions.contains { name.lowercased().hasSuffix($0) }
        return hasExtension ? name : name + (fileExtensions.first ?? "")
    }

    /// The name with a hash of the id before its extension.
    private static func hashed(_ name: String, id: String) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        return "\(name[..<dot])-\(digest(of: id).prefix(16))\(name[dot...])"
    }

    // MARK: Marks

    /// The digits that stand for a record in the mark of its file.
    package static func digest(of id: String) -> String {
        var hash = StableHash()
        hash.combine(id)
        return hash.text
    }

    /// The digits in the mark of a file; nil for files without a mark.
    private func digest(in beginning: [UInt8]) -> String? {
        guard let range = beginning.firstRange(of: form.mark), range.upperBound + 32 <= beginning.count else {
            return nil
        }
        return String(decoding: beginning[range.upperBound..<range.upperBound + 32], as: UTF8.self)
    }
}

extension String {
    /// The text, with its middle left out if it is too long for a row.
    fileprivate var shortened: String { utf8.count > 300 ? "\(prefix(100)) … \(suffix(100))" : self }
}
