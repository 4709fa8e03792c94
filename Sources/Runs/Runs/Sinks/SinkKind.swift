import Inference
import Models
import Platform
import Predicting
import Tensors
import Vision

/// A kind of sink, chosen by an option or a file name.
public struct SinkKind: Sendable {
    /// The name used in options, such as `csv`.
    public let name: String
    /// The file name extensions of this kind.
    public let fileExtensions: [String]
    /// The suffixes of the files whose bytes a checkpoint counts, appended to the output's name; empty for a database.
    let fileSuffixes: [String]
    /// Whether the sink can write to standard output and to pipes.
    public let isStreamable: Bool
    /// The content of answers that the sink can write.
    public let contents: Set<ImageAnswer.Content>
    /// Opens a sink.
    package let open: @Sendable (SinkTarget) throws(OutputError) -> any Sink

    package init(
        _ name: String, fileExtensions: [String], fileSuffixes: [String] = [""], isStreamable: Bool = true,
        contents: Set<ImageAnswer.Content> = Set(ImageAnswer.Content.allCases),
        open: @escaping @Sendable (SinkTarget) throws(OutputError) -> any Sink
    ) {
        self.name = name
        self.fileExtensions = fileExtensions
        self.fileSuffixes = fileSuffixes
        self.isStreamable = isStreamable
        self.contents = contents
        self.open = open
    }

    /// Makes a sink. Its file is emptied unless the target has a checkpoint.
    ///
    /// - Throws: ``OutputError``.
    public func sink(_ target: SinkTarget) throws(OutputError) -> any Sink { try open(target) }
}

extension SinkKind {
    /// Aligned columns for people.
    public static let table = SinkKind("table", fileExtensions: ["txt"]) { target throws(OutputError) in
        TableSink(try target.file(), target.options, checkpoint: target.checkpoint, idWidth: target.idWidth)
    }
    /// A row of comma-separated values per picture.
    public static let csv = SinkKind("csv", fileExtensions: ["csv"]) { target throws(OutputError) in
        try CSVSink(try target.file(), target.options, rowShape: target.scoreShape)
    }
    /// A JSON object per line and picture.
    public static let jsonLines = SinkKind("jsonl", fileExtensions: ["jsonl", "ndjson"]) { target throws(OutputError) in
        JSONLinesSink(try target.file(), target.options)
    }
    /// The scores of classes, a vector, or one output, for every picture, as one NumPy array.
    public static let numPy = SinkKind(
        "npy", fileExtensions: ["npy"], fileSuffixes: ["", NumPySink.recordsSuffix], isStreamable: false,
        contents: ImageAnswer.Content.all(in: .numbers)
    ) { target throws(OutputError) in
        try NumPySink(target)
    }
    /// A database with tables of runs, records, and answers.
    public static let sqlite = SinkKind(
        "sqlite", fileExtensions: ["sqlite", "sqlite3", "db"], fileSuffixes: [], isStreamable: false
    ) { target throws(OutputError) in
        try SQLiteSink(target)
    }
    /// Objects, masks or named points as COCO results: one JSON list.
    public static let coco = SinkKind(
        "coco", fileExtensions: [], contents: ImageAnswer.Content.all(in: .cocoResults)
    ) { target throws(OutputError) in
        COCOSink(try target.file(), target)
    }
    /// Classes, objects, masks of objects or named points as Label Studio's predictions: one JSON list.
    public static let labelStudio = SinkKind(
        "label-studio", fileExtensions: [], contents: ImageAnswer.Content.all(in: .regions)
    ) { target throws(OutputError) in
        LabelStudioSink(try target.file(), target)
    }
    /// Text of pictures below their ids.
    public static let plainText = SinkKind("plain", fileExtensions: [], contents: ImageAnswer.Content.all(in: .text)) {
        target throws(OutputError) in PlainTextSink(try target.file())
    }
    /// Lines of text with their boxes, as hOCR.
    public static let hOCR = SinkKind(
        "hocr", fileExtensions: ["hocr"], contents: ImageAnswer.Content.all(in: .text)
    ) {
        target throws(OutputError) in HOCRSink(try target.file())
    }
}

extension SinkKind {
    /// The parts of each answer that a sink writes.
    public typealias RowOptions = Predicting.RowOptions
}

/// The output of a sink, and the facts about the run that it uses.
public struct SinkTarget: Sendable {
    /// The path of a file; nil for standard output.
    public let path: String?
    /// The parts of each answer that are written.
    public var options: RowOptions
    /// The checkpoint of an earlier sink of the same kind; nil for a new output.
    public var checkpoint: SinkCheckpoint?
    /// The width of the longest id in terminal columns, for alignment.
    public var idWidth = 0
    /// The shape of the first output for one picture; nil when it is not fixed.
    public var scoreShape: [Int]?
    /// The type of that output's numbers.
    public var scoreType = ElementType.float32
    /// The number of classes; nil when their names are unknown.
    public var classCount: Int?
    /// The category numbers of the classes in COCO results; nil to use their positions.
    public var categoryIDs: [Int]?
    /// The model, options and list of the run.
    public var identity: RunIdentity?
    /// The system calls, which tests replace.
    package var calls = SystemCalls()

    /// Makes a target.
    public init(path: String?, options: RowOptions = RowOptions(), checkpoint: SinkCheckpoint? = nil) {
        self.path = path
        self.options = options
        self.checkpoint = checkpoint
    }
}

extension Catalog {
    /// The kinds of sinks that answers can be written to.
    public static let sinks: [SinkKind] = [
        .table, .csv, .jsonLines, .numPy, .sqlite, .coco, .labelStudio, .plainText, .hOCR,
    ]
}
