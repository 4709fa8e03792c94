import Platform
import Predicting
import Vision

/// Writes JSON Lines: one object per line and picture.
///
///     {"id":"a.jpg","predictions":[{"index":967,"label":"espresso","confidence":0.99938}],"error":null}
///     {"id":"b.jpg","predictions":null,"error":{"stage":"decode","code":"truncated","message":"…"}}
///
/// Unknown labels and confidences that are not finite are null.
public struct JSONLinesSink: Sink {
    private let output: RowFile
    private let options: RowOptions

    package init(_ output: RowFile, _ options: RowOptions) {
        self.output = output
        self.options = options
    }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
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
    /// A sink of JSON Lines: one object per line and picture.
    public static func jsonLines(to output: OutputFile, _ options: RowOptions = RowOptions())
        -> JSONLinesSink
    {
        JSONLinesSink(RowFile(output), options)
    }
}
