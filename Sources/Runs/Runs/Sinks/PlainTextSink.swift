import Platform
import Predicting

/// Writes the text of pictures as plain text, each below a line with the record's id. An error stands in its place.
///
///     ==> a.png <==
///     Some text
///     on two lines
///
///     ==> b.png <==
///     error: the picture is cut off: …
///
public struct PlainTextSink: Sink {
    private let output: RowFile

    package init(_ output: RowFile) { self.output = output }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        let content = record.plainText
        try output.write("==> \(record.id.printable) <==\n\(content)\(content.isEmpty ? "" : "\n")\n")
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint { try output.commit() }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint { try output.finish() }
}

extension Sink where Self == PlainTextSink {
    /// A sink of plain text.
    public static func plainText(to output: OutputFile) -> PlainTextSink { PlainTextSink(RowFile(output)) }
}
