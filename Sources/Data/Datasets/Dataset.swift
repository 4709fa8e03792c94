import Images
import Platform
import Preparation
import Tensors

/// A source of pictures. Static functions make the kinds of datasets: `.imageFolder("photos")`.
public protocol Dataset: Sendable {
    /// Begins to list the records, in an order that is the same in every run.
    ///
    /// - Throws: ``ApusError`` when nothing can be listed at all.
    func records() throws(ApusError) -> RecordListing

    /// Begins to list the records, with the files that folders held when the run began. An incomplete `list` receives
    /// what the dataset finds in its folders; a complete one is listed instead of the folders. Labels are not kept.
    ///
    /// - Throws: ``ApusError`` when nothing can be listed at all.
    func records(keeping list: FirstListing) throws(ApusError) -> RecordListing

    /// Whether the dataset can be listed twice with the same result, and listing reads little compared with the
    /// pictures. Records are then counted and their ids compared before the first prediction. False for pipes and
    /// compressed archives.
    var canBeListedAhead: Bool { get }

    /// The folders whose files are records. They may hold other files later.
    var folders: [String] { get }

    /// Whether ``records(keeping:)`` keeps a list: whether folders or files may have other records later.
    var keepsFirstListing: Bool { get }

    /// Whether the folders would list a file with this path.
    func takes(_ path: String) -> Bool

    /// The files that hold the list or the pictures themselves, such as manifests and archives; nothing may be written
    /// over them.
    var containers: [String] { get }
}

extension Dataset {
    public func records(keeping list: FirstListing) throws(ApusError) -> RecordListing { try records() }

    public var canBeListedAhead: Bool { true }
    public var folders: [String] { [] }
    public var keepsFirstListing: Bool { !folders.isEmpty }
    public func takes(_ path: String) -> Bool { false }
    public var containers: [String] { [] }
}

/// A picture of a dataset, with the name that its result carries.
public struct ImageRecord: Sendable {
    /// Unique in its dataset and the same in every run.
    public let id: String
    /// The index or the name of the record's class; nil where unknown.
    public let label: String?
    /// The location of the picture.
    public let source: ImageSource
    /// The time in a video, or since a live source began; nil for pictures without a time.
    public let timestamp: Duration?
    /// The values of other inputs of the network than that of the picture, by name; see ``InputValue/ofRecord``.
    public var inputs: [String: ImageSource] = [:]
    /// The number of late records of a live source that were dropped directly before this one.
    public var droppedBefore = 0

    /// Makes a record.
    public init(id: String, label: String? = nil, source: ImageSource, timestamp: Duration? = nil) {
        self.id = id
        self.label = label
        self.source = source
        self.timestamp = timestamp
    }
}
