import Images
import Platform
import Preparation
import Vision

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

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
        try writeHeader()
        try output.write(HOCRPage(record).text)
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        return try output.commit()
    }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        try output.write(Self.end)
        return try output.finish()
    }

    private func writeHeader() throws(OutputError) {
        if output.byteCount == 0 { try output.write(Self.beginning) }
    }

    /// The first line.
    static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    /// The text before the first page.
    package static let beginning = declaration + head

    /// The text between the first line and the first page.
    static let head = """
        <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" \
        "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
        <html xmlns="http://www.w3.org/1999/xhtml">
        <head>
        <title></title>
        <meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
        <meta name="ocr-system" content="apus" />
        <meta name="ocr-capabilities" content="ocr_page ocr_line" />
        </head>
        <body>

        """

    /// The text after the last page.
    package static let end = "</body>\n</html>\n"
}

/// A page of hOCR.
struct HOCRPage {
    private let id: String
    private let answer: Result<RecognizedText, RecordError>
    private let number: Int

    /// - Parameter number: The page's number; nil for the record's place in the whole list, from 1, which is the same
    ///   in every shard.
    init(_ record: PredictionRecord, number: Int? = nil) {
        (id, answer, self.number) = (record.id, record.text, number ?? record.listPosition + 1)
    }

    /// The page as XHTML.
    var text: String {
        switch answer {
        case .success(let text):
            let size = text.imageSize.map { "; bbox 0 0 \($0.width) \($0.height)" } ?? ""
            var page = start(size)
            for (position, line) in text.lines.enumerated() { page += self.line(line, "\(number)_\(position + 1)") }
            return page + "</div>\n"
        case .failure(let error):
            let message = "error: \(error.stage)/\(error.code): \(error.message)"
            return start("") + "<p class=\"error\">\(message.escapedForXML)</p>\n</div>\n"
        }
    }

    private func start(_ size: String) -> String {
        // The value of a title's property is quoted, and quotation marks in it are escaped by a backslash.
        let name = id.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").withVisibleControls
        let title = "image \"\(name)\"\(size); ppageno \(number - 1)"
        return "<div class=\"ocr_page\" id=\"page_\(number)\" title=\"\(title.escapedForXML)\">\n"
    }

    private func line(_ line: RecognizedTextLine, _ number: String) -> String {
        let edges = line.box.edges
        let box = [edges.left, edges.top, edges.right, edges.bottom].map { String(Int($0.rounded())) }
        let confidence = line.confidence.isFinite ? Int((min(max(line.confidence, 0), 1) * 100).rounded()) : 0
        let title = "bbox \(box.joined(separator: " ")); x_wconf \(confidence)"
        let text = (line.text ?? "").withVisibleControls.escapedForXML
        return "<span class=\"ocr_line\" id=\"line_\(number)\" title=\"\(title)\">\(text)</span>\n"
    }
}

extension String {
    /// The text as content or the value of an attribute of XML. Characters that XML cannot hold become U+FFFD.
    package var escapedForXML: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\t", "\n": result.append(scalar)
            case _ where scalar.value < 32 || scalar.value & 0xFFFE == 0xFFFE: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension Sink where Self == HOCRSink {
    /// A sink of hOCR.
    public static func hOCR(to output: OutputFile) -> HOCRSink { HOCRSink(RowFile(output)) }
}
