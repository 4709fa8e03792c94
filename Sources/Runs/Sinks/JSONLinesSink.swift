import Platform

/// JSON Lines: one object per picture, each on a line of its own.
///
///     {"id":"a.jpg","predictions":[{"index":967,"label":"espresso","confidence":0.99938}],"error":null}
///     {"id":"b.jpg","predictions":null,"error":{"stage":"decode","code":"truncated","message":"…"}}
///
/// A label that is not known is null, and so is a confidence that is not a finite number.
public struct JSONLinesSink: Sink {
    private let output: RowFile
    private let options: SinkKind.RowOptions

    package init(_ output: RowFile, _ options: SinkKind.RowOptions) {
        self.output = output
        self.options = options
    }

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
        try output.write(record.jsonText(options) + "\n")
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try output.commit()
    }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint { try output.finish() }
}

extension Sink where Self == JSONLinesSink {
    /// One JSON object per picture, each on a line of its own.
    public static func jsonLines(to output: OutputFile, _ options: SinkKind.RowOptions = SinkKind.RowOptions())
        -> JSONLinesSink
    {
        JSONLinesSink(RowFile(output), options)
    }
}
