import FoundationEssentials
import Images
import Platform
import Preparation

/// Pictures in tar archives, `.tar` or `.tar.gz`, such as the shards of WebDataset.
///
/// Members that follow one another and share a name up to its first dot form a sample: `0001.jpg` has its label in
/// `0001.cls`, or in `0001.json` under `label`, `cls` or `class`. Every member with a picture's extension is a record
/// with the id `SHARD.tar/MEMBER`. Labels are optional. A label that is not adjacent to its picture is an error record.
///
/// A truncated or damaged archive ends with an error record, after every picture that is whole; the archives after it
/// are still read. Archives that were joined (`cat a.tar b.tar`) are read to the end of the last.
public struct TarDataset: Dataset {
    private let paths: [String]

    package init(paths: [String]) { self.paths = paths }

    public var containers: [String] { paths }

    public var canBeListedAhead: Bool { paths.allSatisfy { FileStart($0).map { !$0.isGzip } ?? false } }

    public func records() throws(ApusError) -> RecordListing {
        var paths = paths[...]
        var shard: TarShard?
        var ready: ArraySlice<ImageRecord> = []
        var isEmpty = true
        return RecordListing { () throws(ApusError) -> ImageRecord? in
            while true {
                if let record = ready.popFirst() {
                    isEmpty = false
                    return record
                }
                if let records = shard?.next() {
                    ready = records[...]
                    continue
                }
                if let shard, isEmpty { throw .file(path: shard.path, message: "holds no pictures") }
                guard let path = paths.popFirst() else { return nil }
                (shard, isEmpty) = (try TarShard(path), true)
            }
        }
    }
}

extension Dataset where Self == TarDataset {
    /// A dataset of the pictures in tar archives, in the order given.
    public static func tar(_ paths: String...) -> TarDataset { TarDataset(paths: paths) }

    /// A dataset of the pictures in tar archives, in the order given.
    public static func tar(_ paths: [String]) -> TarDataset { TarDataset(paths: paths) }
}

/// The records of one archive, sample by sample.
struct TarShard {
    /// The maximum size of a sample, which bounds memory. Further members begin a new sample.
    private static let maximumSample = (memberCount: 256, byteCount: 256 << 20)
    /// The maximum size of a label in bytes; longer members are not labels.
    private static let maximumLabelBytes = 1 << 20
    /// The members of an archive that share a name up to its first dot.
    private struct Sample {
        let key: String
        var pictures: [(name: String, source: ImageSource)] = []
        var label: String?
        var memberCount = 0
        var byteCount = 0
    }

    fileprivate let path: String
    /// Whether members are read from the file when they are decoded rather than when they are listed.
    private let isSeekable: Bool
    private var reader: TarReader?
    private var sample: Sample?

    /// - Throws: ``ApusError/file(path:message:)`` when the archive cannot be opened.
    init(_ path: String) throws(ApusError) {
        self.path = path
        let source = try ByteSource(path: path)
        do throws(ByteStream.Damage) {
            let stream = try ByteStream(source)
            isSeekable = !stream.isCompressed && source.byteCount != nil
            reader = TarReader(stream)
        } catch {
            throw error.error(path)
        }
    }

    /// The records of the next sample, which may be none; nil after the last.
    mutating func next() -> [ImageRecord]? {
        guard reader != nil else { return nil }
        // The samples that are complete when the archive turns out to be damaged are still given.
        var finished: [ImageRecord] = []
        do throws(TarReader.Damage) {
            while let member = try reader?.next() {
                guard member.kind != .folder, let (key, fileExtension) = Self.parts(of: member.name)
                else { continue }
                let isFull =
                    sample.map {
                        $0.memberCount >= Self.maximumSample.memberCount || $0.byteCount > Self.maximumSample.byteCount
                    } ?? false
                if sample?.key != key || isFull { finished = finishSample() }
                if sample == nil { sample = Sample(key: key) }
                try add(member, fileExtension)
                if !finished.isEmpty { return finished }
            }
            reader = nil
            return finishSample()
        } catch {
            reader = nil
            return finished + finishSample() + [ImageRecord(id: path, source: .failure(error.recordError))]
        }
    }

    private mutating func add(_ member: TarReader.Member, _ fileExtension: String) throws(TarReader.Damage) {
        sample?.memberCount += 1
        let lastExtension = fileExtension.split(separator: ".").last.map(String.init) ?? ""
        if Image.fileExtensions.contains(lastExtension) {
            let source = try source(of: member)
            sample?.pictures.append((member.name, source))
        } else if member.kind == .file, member.byteCount <= Self.maximumLabelBytes, fileExtension == "cls" {
            let text = String(decoding: try content(of: member), as: UTF8.self)
            sample?.label = text.trimmed
        } else if member.kind == .file, member.byteCount <= Self.maximumLabelBytes, fileExtension == "json" {
            let object = JSONValue(try content(of: member))?.object
            if let label = object.flatMap(JSONRecord.label) { sample?.label = label }
        }
    }

    /// The location of a picture's bytes, or the reason why it has none.
    private mutating func source(of member: TarReader.Member) throws(TarReader.Damage) -> ImageSource {
        if let obstacle = Self.obstacle(member) {
            return .failure(RecordError(stage: "read", code: "unreadable", message: "the member is \(obstacle)"))
        }
        let limit = FileContent.maximumPictureByteCount
        guard member.byteCount <= limit else {
            // A truncated archive is noticed here; it has no further members.
            try reader?.passOverContent(of: member)
            let message = "the member has \(member.byteCount) bytes; at most \(limit) are read"
            return .failure(RecordError(stage: "read", code: "too-large", message: message))
        }
        if isSeekable {
            // A truncated member is noticed here, so that no error is attributed to a later one.
            try reader?.passOverContent(of: member)
            return .deferred { [path] in
                let data = try FileContent.read(path, at: member.offset, count: member.byteCount)
                guard data.count == member.byteCount else {
                    throw RecordError(stage: "read", code: "truncated", message: "the archive has become shorter")
                }
                return .data(data)
            }
        }
        guard member.byteCount <= Self.maximumSample.byteCount - (sample?.byteCount ?? 0) else {
            let message = "the member has \(member.byteCount) bytes, too many for a compressed archive"
            return .failure(RecordError(stage: "read", code: "too-large", message: message))
        }
        return .data(try content(of: member))
    }

    /// The reason why a member holds no bytes of a picture; nil when it may hold them.
    private static func obstacle(_ member: TarReader.Member) -> String? {
        let target = "to \"\(member.linkName.printable)\""
        return switch member.kind {
        case .file: nil
        case .hardLink: "a hard link \(target), whose bytes are elsewhere in the archive"
        case .symbolicLink: "a symbolic link \(target), which is not followed"
        case .folder, .other: "not stored as a plain file"
        }
    }

    private mutating func content(of member: TarReader.Member) throws(TarReader.Damage) -> Data {
        guard let data = try reader?.content(of: member) else { return Data() }
        sample?.byteCount += data.count
        return data
    }

    private mutating func finishSample() -> [ImageRecord] {
        defer { sample = nil }
        guard let sample else { return [] }
        if sample.pictures.isEmpty, sample.label != nil {
            let message = "the sample has a label but no picture; the members of a sample follow one another"
            return [
                ImageRecord(
                    id: "\(path)/\(sample.key)", label: sample.label,
                    source: .failure(RecordError(stage: "read", code: "no-picture", message: message)))
            ]
        }
        return sample.pictures.map {
            ImageRecord(id: "\(path)/\($0.name)", label: sample.label, source: $0.source)
        }
    }

    /// Splits a name at the first dot of its last component; nil for hidden files and names without a dot.
    private static func parts(of name: String) -> (key: String, fileExtension: String)? {
        let start = name.utf8.lastIndex(of: UInt8(ascii: "/")).map(name.utf8.index(after:)) ?? name.startIndex
        guard let dot = name.utf8[start...].firstIndex(of: UInt8(ascii: ".")), dot > start else { return nil }
        return (String(name[..<dot]), name[name.utf8.index(after: dot)...].lowercased())
    }
}

extension TarReader.Damage {
    /// The error record for the rest of the archive, which is missing.
    var recordError: RecordError {
        switch self {
        case .stream(let damage):
            RecordError(stage: "read", code: damage.code, message: "the archive \(damage.message)")
        case .cutOff(let place):
            RecordError(stage: "read", code: "truncated", message: "the archive is cut off: \(place)")
        case .corrupt(let message):
            RecordError(stage: "read", code: "corrupt", message: "the archive is damaged: \(message)")
        }
    }
}
