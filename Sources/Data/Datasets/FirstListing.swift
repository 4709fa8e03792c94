import FoundationEssentials
import Platform
import Synchronization

/// A file that lists what folders held when a run began, and the frames that their files had. These are the run's
/// records, even when the folders change.
///
/// The file begins with the line `apus list 1`. Each entry that follows is a letter, text and a zero byte:
///
///     < the request of a dataset, whose entries follow
///     f number of pages or frames of the file that follows, which may have several
///     p number of bytes that the path shares with the previous one, a space, the rest of the path
///     n id of a file whose name is not UTF-8
///     o number of files passed over, a space, the reason
///     u folder that could not be listed, and why
///     > end of the dataset's entries, without text
public final class FirstListing: @unchecked Sendable {
    // Only one listing at a time reads or writes, under its own lock.
    private enum Access {
        case writing(OutputFile)
        case reading(ByteStream)
    }

    private static let beginning = SideFileSuffix.firstListingMark
    private static let maximumEntryByteCount = 1 << 16
    private static let bufferByteCount = 1 << 16

    private let name: String
    private let access: Access
    private var buffer: [UInt8] = []
    /// The path of the previous entry.
    private var path: [UInt8] = []
    /// The number of frames of the file that was listed last; nil where the list does not say it.
    package private(set) var frameCount: Int?
    /// Whether a dataset's request differs from the one in the list.
    package private(set) var isOther = false

    /// The path of the list that belongs to a run into `output`.
    package static func path(of output: String) -> String { output + SideFileSuffix.firstListing }

    /// Makes an empty list that is written to a file.
    package init(writingTo file: OutputFile) {
        name = file.name
        access = .writing(file)
        buffer = Self.beginning
    }

    /// Opens a complete list.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when the file is not such a list.
    package init(reading path: String) throws(ApusError) {
        name = path
        let source = try ByteSource(path: path)
        do throws(ByteStream.Damage) {
            let stream = try ByteStream(source)
            guard try stream.read(Self.beginning.count).elementsEqual(Self.beginning) else { throw .corrupt }
            access = .reading(stream)
        } catch {
            throw Self.damage(path)
        }
    }

    private static func damage(_ path: String) -> ApusError {
        .file(path: path, message: "is not a list of the run's files; delete it to list the inputs again")
    }

    /// Whether the list is read rather than written.
    package var isComplete: Bool { if case .reading = access { true } else { false } }

    /// Begins the entries of a dataset.
    ///
    /// - Parameter request: The paths and patterns of the dataset, as text.
    /// - Throws: ``ApusError`` when the list cannot be written, or when it is read and was written for another request.
    package func begin(_ request: String) throws(ApusError) {
        path = []
        guard isComplete else { return try append("<", Array(request.utf8)) }
        let entry = try nextEntry()
        guard entry?.kind != "<" || entry?.content.elementsEqual(request.utf8) != true else { return }
        isOther = true
        throw .usage("\(name): lists other inputs")
    }

    /// Writes a record of the dataset that has begun.
    ///
    /// - Parameter frameCount: The number of pages or frames of a file that may have several.
    package func append(_ record: ImageRecord, frameCount: Int? = nil) throws(ApusError) {
        if let frameCount { try append("f", Array(String(frameCount).utf8)) }
        guard case .file(let file) = record.source else { return try append("n", Array(record.id.utf8)) }
        let bytes = Array(file.utf8)
        let shared = zip(path, bytes).prefix { $0 == $1 }.count
        path = bytes
        try append("p", Array("\(shared) ".utf8) + bytes[shared...])
    }

    /// Ends the entries of the dataset that has begun.
    package func end(_ passedOver: SkippedFiles) throws(ApusError) {
        for (reason, count) in passedOver.counts.sorted(by: { $0.key < $1.key }) {
            try append("o", Array("\(count) \(reason)".utf8))
        }
        for folder in passedOver.folders { try append("u", Array(folder.utf8)) }
        try append(">", [])
    }

    private func append(_ kind: Character, _ content: [UInt8]) throws(ApusError) {
        buffer.append(kind.asciiValue ?? 0)
        buffer += content
        buffer.append(0)
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    /// Writes buffered entries to the file.
    package func flush() throws(ApusError) {
        guard case .writing(let file) = access else { return }
        do throws(OutputError) { try file.write(numbers: buffer) } catch { throw ApusError(error) }
        buffer = []
    }

    /// The next record of the dataset that has begun; nil after its last.
    ///
    /// - Parameter tally: Counts the files that were passed over.
    package func next(_ tally: SkippedFileCounter) throws(ApusError) -> ImageRecord? {
        frameCount = nil
        while let entry = try nextEntry() {
            switch entry.kind {
            case "f":
                guard let count = Int(String(decoding: entry.content, as: UTF8.self)), (1...1 << 32).contains(count)
                else { throw Self.damage(name) }
                frameCount = count
            case "p":
                let (shared, rest) = try number(entry.content)
                guard shared <= path.count, shared + rest.count <= Self.maximumEntryByteCount else {
                    throw Self.damage(name)
                }
                path.replaceSubrange(shared..., with: rest)
                guard let text = String(validating: path, as: UTF8.self), !text.isEmpty else {
                    throw Self.damage(name)
                }
                return ImageRecord(id: text, source: .file(text))
            case "n":
                let id = String(decoding: entry.content, as: UTF8.self)
                return ImageRecord(id: id, source: .failure(FileDataset.unnamed))
            case "o":
                let (count, reason) = try number(entry.content)
                tally.add(String(decoding: reason, as: UTF8.self), count: count)
            case "u": tally.name(folder: String(decoding: entry.content, as: UTF8.self))
            case ">": return nil
            default: throw Self.damage(name)
            }
        }
        throw Self.damage(name)
    }

    /// Splits an entry into its leading number and the bytes after the space.
    private func number(_ content: Data) throws(ApusError) -> (Int, Data) {
        guard let space = content.firstIndex(of: UInt8(ascii: " ")),
            let number = Int(String(decoding: content[..<space], as: UTF8.self)), (0...1 << 40).contains(number)
        else { throw Self.damage(name) }
        return (number, content[(space + 1)...])
    }

    private func nextEntry() throws(ApusError) -> (kind: Character, content: Data)? {
        guard case .reading(let stream) = access else { return nil }
        do throws(ByteStream.Damage) {
            guard let entry = try stream.read(to: 0, atMost: Self.maximumEntryByteCount) else { return nil }
            guard !entry.isCut, let kind = entry.bytes.first else { throw .corrupt }
            return (Character(Unicode.Scalar(kind)), entry.bytes.dropFirst())
        } catch {
            throw Self.damage(name)
        }
    }
}

/// A run's dataset, whose folders are listed from a ``FirstListing``.
package final class ListedDataset: Dataset {
    private let base: any Dataset
    private let list: FirstListing?
    private let survey: DatasetSurvey?
    private let listing = Mutex<RecordListing?>(nil)

    /// - Parameter survey: What an earlier listing found, with which this one is compared; nil for none.
    package init(_ base: any Dataset, _ list: FirstListing?, _ survey: DatasetSurvey?) {
        (self.base, self.list, self.survey) = (base, list, survey)
    }

    /// The files of folders that were passed over so far.
    package var passedOver: SkippedFiles { listing.withLock { $0 }?.passedOver ?? SkippedFiles() }

    /// Begins to list the records. The dataset can be listed only once.
    package func records() throws(ApusError) -> RecordListing {
        var records = if let list { try base.records(keeping: list) } else { try base.records() }
        if let survey { records = records.confirming(survey, of: base.containers) }
        listing.withLock { [records] in $0 = records }
        return records
    }
}
