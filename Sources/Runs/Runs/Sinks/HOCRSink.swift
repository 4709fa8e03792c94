import Images
import Platform
import Predicting
import Preparation

/// Writes the text of pictures as hOCR: one XHTML document with a page for each record, whose lines have their boxes in
/// pixels and their confidence in percent.
///
///     <div class="ocr_page" id="page_1" title="image &quot;a.png&quot;; bbox 0 0 512 191; ppageno 0">
///     <span class="ocr_line" id="line_1_1" title="bbox 10 5 200 30; x_wconf 97">Some text</span>
///     </div>
///
/// A record with an error is a page with a paragraph that has the message.
///
/// Source: http://kba.cloud/hocr-spec/1.2
public struct HOCRSink: Sink {
    private let output: RowFile

    package init(_ output: RowFile) { self.output = output }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        try writeHeader()
        try output.write(record.hOCRPage)
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        return try output.commit()
    }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        try output.write(HOCRDocument.end)
        return try output.finish()
    }

    private func writeHeader() throws(OutputError) {
        if output.byteCount == 0 { try output.write(HOCRDocument.beginning) }
    }
}

extension Sink where Self == HOCRSink {
    /// A sink of hOCR.
    public static func hOCR(to output: OutputFile) -> HOCRSink { HOCRSink(RowFile(output)) }
}
