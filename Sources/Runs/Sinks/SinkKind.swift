import Platform
import Vision

/// A kind of sink, as options and file names call it.
public struct SinkKind: Sendable {
    /// The name used in options, such as `csv`.
    public let name: String
    /// The extensions of file names that mean this kind.
    public let fileExtensions: [String]
    /// What the names of the files whose bytes a checkpoint counts have behind the output's; none for a database.
    let fileSuffixes: [String]
    /// Whether the sink can write to standard output and to pipes.
    public let isStreamable: Bool
    /// Which answers it can write.
    public let contents: Set<ImageAnswer.Content>
    /// Makes a sink.
    package let open: @Sendable (SinkTarget) throws(OutputError) -> any Sink

    package init(
        _ name: String, fileExtensions: [String], fileSuffixes: [String] = [""], isStreamable: Bool = true,
        contents: Set<ImageAnswer.Content> = [.classes, .objects],
        open: @escaping @Sendable (SinkTarget) throws(OutputError) -> any Sink
    ) {
        self.name = name
        self.fileExtensions = fileExtensions
        self.fileSuffixes = fileSuffixes
        self.isStreamable = isStreamable
        self.contents = contents
        self.open = open
    }

    /// Makes a sink, whose file is emptied unless it goes on.
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
        CSVSink(try target.file(), target.options)
    }
    /// A JSON object per picture, each on a line of its own.
    public static let jsonLines = SinkKind("jsonl", fileExtensions: ["jsonl", "ndjson"]) { target throws(OutputError) in
        JSONLinesSink(try target.file(), target.options)
    }
    /// The network's first output for every picture, as one NumPy array.
    public static let numPy = SinkKind(
        "npy", fileExtensions: ["npy"], fileSuffixes: ["", NumPySink.recordsSuffix], isStreamable: false,
        contents: [.classes]
    ) { target throws(OutputError) in
        try NumPySink(target)
    }
    /// A database with tables of runs, records and predictions.
    public static let sqlite = SinkKind(
        "sqlite", fileExtensions: ["sqlite", "sqlite3", "db"], fileSuffixes: [], isStreamable: false,
        contents: [.classes]
    ) { target throws(OutputError) in
        try SQLiteSink(target)
    }
    /// Objects as results in the form of COCO: one JSON list.
    public static let coco = SinkKind("coco", fileExtensions: [], contents: [.objects]) { target throws(OutputError) in
        COCOSink(try target.file(), target)
    }
}

/// Where a sink writes, and what it may know of the run.
public struct SinkTarget: Sendable {
    /// The path of a file; nil for standard output.
    public let path: String?
    /// What is written of each answer.
    public var options: SinkKind.RowOptions
    /// Where an earlier sink of the same kind left off; nil for a new output.
    public var checkpoint: SinkCheckpoint?
    /// The columns that the longest id takes, to align others with.
    public var idWidth = 0
    /// The extents of one picture's row of the network's first output, when they are fixed.
    public var scoreShape: [Int]?
    /// How many classes there are, where their names are known.
    public var classCount: Int?
    /// What results in COCO's form call the classes; nil for their positions.
    public var categoryIDs: [Int]?
    /// What the run is about.
    public var identity: RunIdentity?
    /// The calls to the system.
    package var calls = SystemCalls()

    /// Makes a target.
    public init(path: String?, options: SinkKind.RowOptions = SinkKind.RowOptions(), checkpoint: SinkCheckpoint? = nil)
    {
        self.path = path
        self.options = options
        self.checkpoint = checkpoint
    }
}
