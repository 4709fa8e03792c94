import Foundation
import Images
import Platform
import Tensors
import Vision

/// Where pictures come from. Kinds of datasets are made by leading-dot functions: `.imageFolder("photos")`.
public protocol Dataset: Sendable {
    /// Begins to list the records, in an order that is the same in every run.
    ///
    /// - Throws: ``ApusError`` when nothing can be listed at all.
    func records() throws(ApusError) -> RecordListing

    /// Begins to list the records, with the files of folders as a run first found them: what a dataset finds in folders it
    /// writes into `list`, or, where that is complete, lists what stands there. Labels are not kept.
    ///
    /// - Throws: ``ApusError`` when nothing can be listed at all.
    func records(keeping list: FirstListing) throws(ApusError) -> RecordListing

    /// Whether listing can be repeated with the same result and reads little beside what the pictures take, so that
    /// records can be counted and their ids compared before the first is predicted. Not so for pipes and compressed
    /// archives.
    var canBeListedAhead: Bool { get }

    /// The folders whose files are records. They may hold other files later.
    var folders: [String] { get }

    /// The files that hold the list or the pictures themselves, such as manifests and archives; nothing may be written
    /// over them.
    var containers: [String] { get }
}

extension Dataset {
    public func records(keeping list: FirstListing) throws(ApusError) -> RecordListing { try records() }

    public var canBeListedAhead: Bool { true }
    public var folders: [String] { [] }
    public var containers: [String] { [] }
}

/// A picture of a dataset, with the name that its result carries.
public struct ImageRecord: Sendable {
    /// Unique in its dataset and the same in every run.
    public let id: String
    /// The class that it belongs to, by index or by name, where that is known.
    public let label: String?
    /// Where the picture is.
    public let source: ImageSource
    /// When it belongs to, in a video or since a live source began; nil for pictures that have no time.
    public let timestamp: Duration?
    /// How many records of a live source were dropped between the record before and this one, since they were late.
    public var droppedBefore = 0

    /// Makes a record.
    public init(id: String, label: String? = nil, source: ImageSource, timestamp: Duration? = nil) {
        self.id = id
        self.label = label
        self.source = source
        self.timestamp = timestamp
    }
}
