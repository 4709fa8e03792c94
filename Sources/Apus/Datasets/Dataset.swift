import Foundation
import Images
import Tensors

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

/// A picture to be predicted.
public enum ImageSource: Sendable {
    /// A JPEG or PNG file.
    case file(String)
    /// The content of a JPEG or PNG file.
    case data(Data)
    /// A decoded picture.
    case image(Image)
    /// The numbers that the network takes, without the axis of the batch; nothing is preprocessed.
    case array(Tensor)
    /// Fetched on the thread that prepares the picture: a part of an archive, a row of an array.
    ///
    /// The closure throws ``RecordError`` or ``ApusError`` and gives no further `.deferred`.
    case deferred(@Sendable () throws -> ImageSource)
    /// A record that is listed but has no picture; says why.
    case failure(RecordError)
}

extension ImageSource {
    /// The source that a deferred one stands for.
    package func resolved() throws -> ImageSource {
        switch self {
        case .deferred(let fetch): try fetch()
        default: self
        }
    }

    /// Reads and decodes the picture.
    ///
    /// - Throws: ``RecordError``, ``ApusError`` or ``ImageError``.
    package func image(_ options: Image.DecodingOptions) throws -> Image {
        switch try resolved() {
        case .image(let image): return image
        case .data(let data): return try Image(decoding: data, options: options)
        case .file(let path):
            let data = try FileContent.read(path, atMost: FileContent.mostPictureBytes)
            return try Image(decoding: data, options: options)
        case .failure(let error): throw error
        case .array, .deferred:
            throw RecordError(stage: "read", code: "no-picture", message: "is an array of numbers, not a picture")
        }
    }
}
