import Foundation
import Platform
import Synchronization

/// The files that folders held when a run first listed them, in a file: they are the run's records, whatever the folders
/// hold later.
///
/// The file begins with a line of its own. Entries follow, each a letter, text and a zero byte:
///
///     < what a dataset was asked for, behind which its entries begin
///     p number of bytes that the path shares with the one before, a space, the rest of the path
///     n id of a file whose name is not text
///     o count, a space, the reason why this number of files was passed over
///     > nothing: the dataset's entries end
public final class FirstListing: @unchecked Sendable {
    // One listing at a time reads or writes, under its own lock.
    private enum Access {
        case writing(OutputFile)
        case reading(ByteStream)
    }

    private static let beginning = "apus list 1\n"
    private static let longestEntry = 1 << 16
    private static let bufferByteCount = 1 << 16

    private let name: String
    private let access: Access
    private var buffer: [UInt8] = []
    /// The path before.
    private var path: [UInt8] = []
    /// Whether a dataset was asked for something else than when the list was written.
    package private(set) var isOther = false

    /// The path of the list of a run into `output`.
    package static func path(of output: String) -> String { output + SideFileSuffix.firstListing }

    /// Makes an empty list that is written to a file.
    package init(writingTo file: OutputFile) {
        name = file.name
        access = .writing(file)
        buffer = Array(Self.beginning.utf8)
    }

    /// Opens a complete list.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when the file is none.
    package init(reading path: String) throws(ApusError) {
        name = path
        let source = try ByteSource(path: path)
        do throws(ByteStream.Damage) {
            let stream = try ByteStream(source)
            guard try stream.read(Self.beginning.utf8.count).elementsEqual(Self.beginning.utf8) else { throw .corrupt }
            access = .reading(stream)
        } catch {
            throw Self.damage(path)
        }
    }

    private static func damage(_ path: String) -> ApusError {
        .file(path: path, message: "is no list of the run's files; without it the inputs are listed again")
    }

    /// Whether files are listed from here, rather than written here.
    package var isComplete: Bool { if case .reading = access { true } else { false } }

    /// Begins the entries of a dataset.
    ///
    /// - Parameter request: What it was asked for.
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
    package func append(_ record: ImageRecord) throws(ApusError) {
        guard case .file(let file) = record.source else { return try append("n", Array(record.id.utf8)) }
        let bytes = Array(file.utf8)
        let shared = zip(path, bytes).prefix { $0 == $1 }.count
        path = bytes
        try append("p", Array("\(shared) ".utf8) + bytes[shared...])
    }

    /// Ends the entries of the dataset that has begun.
    package func end(_ passedOver: PassedOver) throws(ApusError) {
        for (reason, count) in passedOver.counts.sorted(by: { $0.key < $1.key }) {
            try append("o", Array("\(count) \(reason)".utf8))
        }
        try append(">", [])
    }

    private func append(_ kind: Character, _ content: [UInt8]) throws(ApusError) {
        buffer.append(kind.asciiValue ?? 0)
        buffer += content
        buffer.append(0)
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    /// Writes what is not written yet.
    package func flush() throws(ApusError) {
        guard case .writing(let file) = access else { return }
        do throws(OutputError) { try file.write(numbers: buffer) } catch { throw ApusError(error) }
        buffer = []
    }

    /// The next record of the dataset that has begun; nil after its last.
    ///
    /// - Parameter tally: Takes what was passed over.
    package func next(_ tally: PassedOverTally) throws(ApusError) -> ImageRecord? {
        while let entry = try nextEntry() {
            switch entry.kind {
            case "p":
                let (shared, rest) = try number(entry.content)
                guard shared <= path.count, shared + rest.count <= Self.longestEntry else { throw Self.damage(name) }
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
            case ">": return nil
            default: throw Self.damage(name)
            }
        }
        throw Self.damage(name)
    }

    /// The number that an entry begins with, and what follows the space behind it.
    private func number(_ content: Data) throws(ApusError) -> (Int, Data) {
        guard let space = content.firstIndex(of: UInt8(ascii: " ")),
            let number = Int(String(decoding: content[..<space], as: UTF8.self)), (0...1 << 40).contains(number)
        else { throw Self.damage(name) }
        return (number, content[(space + 1)...])
    }

    private func nextEntry() throws(ApusError) -> (kind: Character, content: Data)? {
        guard case .reading(let stream) = access else { return nil }
        do throws(ByteStream.Damage) {
            guard let entry = try stream.read(to: 0, atMost: Self.longestEntry) else { return nil }
            guard !entry.isCut, let kind = entry.bytes.first else { throw .corrupt }
            return (Character(Unicode.Scalar(kind)), entry.bytes.dropFirst())
        } catch {
            throw Self.damage(name)
        }
    }
}

/// The dataset of a run, with the files of its folders as they were first listed.
package final class ListedDataset: Dataset {
    private let base: any Dataset
    private let list: FirstListing?
    private let listing = Mutex<RecordListing?>(nil)

    package init(_ base: any Dataset, _ list: FirstListing?) {
        self.base = base
        self.list = list
    }

    /// What was passed over in folders so far.
    package var passedOver: PassedOver { listing.withLock { $0 }?.passedOver ?? PassedOver() }

    /// Begins to list the records. A list can be gone through once.
    package func records() throws(ApusError) -> RecordListing {
        let records = if let list { try base.records(keeping: list) } else { try base.records() }
        listing.withLock { $0 = records }
        return records
    }
}
