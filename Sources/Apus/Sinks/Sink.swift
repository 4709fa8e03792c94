/// Where answers go. Kinds of sinks are made by leading-dot functions: `.csv(to: output)`.
///
///     var sink: any Sink = .csv(to: try OutputFile(path: "results.csv"))
///     for try await record in classifier.predictions(over: .imageFolder("photos")) { try sink.write(record) }
///     try sink.finish()
///
/// A sink is used by one task at a time.
public protocol Sink {
    /// Writes one answer.
    ///
    /// - Throws: ``OutputError``; the answers written before stay whole.
    mutating func write(_ record: PredictionRecord) throws(OutputError)

    /// Writes what follows the last answer and closes the output; nothing may be written afterwards.
    ///
    /// - Throws: ``OutputError`` when the system reports only now that bytes did not arrive.
    mutating func finish() throws(OutputError)
}

/// What a sink writes of each answer.
public struct RowOptions: Sendable {
    /// How many classes, those with the most confidence first.
    public var top: Int
    /// Classes with less confidence are left out; from 0 to 1.
    public var minimumConfidence: Float

    /// Makes options.
    public init(top: Int = 5, minimumConfidence: Float = 0) {
        self.top = top
        self.minimumConfidence = minimumConfidence
    }

    /// The classes of an answer that are written.
    func predictions(_ answer: Classification) -> [Prediction] {
        answer.top(top, minimumConfidence: minimumConfidence)
    }
}

/// A kind of sink, as options and file names call it.
public struct SinkKind: Sendable {
    /// The name used in options, such as `csv`.
    public let name: String
    /// The extensions of file names that mean this kind.
    public let fileExtensions: [String]
    /// Makes a sink that writes to an output; the ids to come, when known, help to align columns.
    public let make: @Sendable (_ output: OutputFile, _ options: RowOptions, _ ids: [String]) -> any Sink
}

extension SinkKind {
    /// Aligned columns for people.
    public static let table = SinkKind(name: "table", fileExtensions: ["txt"]) { .table(to: $0, $1, ids: $2) }
    /// A row of comma-separated values per picture.
    public static let csv = SinkKind(name: "csv", fileExtensions: ["csv"]) { output, options, _ in
        .csv(to: output, options)
    }
    /// A JSON object per picture, each on a line of its own.
    public static let jsonLines = SinkKind(name: "jsonl", fileExtensions: ["jsonl", "ndjson"]) { output, options, _ in
        .jsonLines(to: output, options)
    }
}
