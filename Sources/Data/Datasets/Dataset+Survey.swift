import Platform

/// The counts and the fingerprint that one listing of a dataset gives.
public struct DatasetSurvey: Sendable, Equatable {
    /// The number of records.
    public var recordCount = 0
    /// The number of records that have a label.
    public var labelledCount = 0
    /// 64-bit FNV-1a of the ids in their order, each followed by a zero byte; it tells one list from another.
    public var fingerprint = IDFingerprint().value
    /// The files of folders that were passed over.
    public var passedOver = SkippedFiles()
}

extension Dataset {
    /// Lists the dataset once.
    ///
    /// - Parameter body: Called with each record.
    /// - Throws: ``ApusError/usage(_:)`` when two records have the same id; what listing and `body` throw.
    public func survey(
        _ body: (ImageRecord) throws(ApusError) -> Void = { _ in }
    ) throws(ApusError) -> DatasetSurvey { try DatasetSurvey(try records(), body) }
}

extension DatasetSurvey {
    /// Goes through a listing; throws what ``Dataset/survey(_:)`` throws.
    package init(_ listing: RecordListing, _ body: (ImageRecord) throws(ApusError) -> Void) throws(ApusError) {
        var survey = DatasetSurvey()
        var fingerprint = IDFingerprint()
        var ids = RecordIDs()
        while let record = try listing.next() {
            try ids.insert(record.id)
            try body(record)
            survey.recordCount += 1
            if record.label != nil { survey.labelledCount += 1 }
            fingerprint.add(record.id)
        }
        survey.fingerprint = fingerprint.value
        survey.passedOver = listing.passedOver
        self = survey
    }
}

/// 64-bit FNV-1a of ids in their order, each followed by a zero byte.
struct IDFingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ id: String) {
        for byte in id.utf8 { add(byte) }
        add(0)
    }

    private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

/// A set of record ids, each kept as a digest of 128 bits.
public struct RecordIDs: Sendable {
    private struct Digest: Hashable {
        let first: Int
        let second: Int
    }

    private var seen: Set<Digest> = []

    /// Makes an empty set.
    public init() {}

    /// Adds an id. Ids are compared by their bytes, as file systems do.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when it was added before.
    public mutating func insert(_ id: String) throws(ApusError) {
        let bytes = Array(id.utf8)
        var hashers = (Hasher(), Hasher())
        hashers.1.combine(bytes.count)
        bytes.withUnsafeBytes { bytes in
            hashers.0.combine(bytes: bytes)
            hashers.1.combine(bytes: bytes)
        }
        let digest = Digest(first: hashers.0.finalize(), second: hashers.1.finalize())
        guard seen.insert(digest).inserted else { throw .usage("\(id.printable): is given more than once") }
    }
}
