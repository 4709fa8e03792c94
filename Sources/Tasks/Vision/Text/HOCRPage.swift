import Platform
import Predicting
import Preparation

/// A page of hOCR.
struct HOCRPage {
    private let id: String
    private let answer: Result<RecognizedText, RecordError>
    private let number: Int

    /// - Parameter number: The page's number; nil for the record's place in the whole list, from 1, which is the same
    ///   in every shard.
    init(_ record: PredictionRecord<ImageAnswer>, number: Int? = nil) {
        (id, answer, self.number) = (record.id, record.text, number ?? record.listPosition + 1)
    }

    /// The page as XHTML.
    var text: String {
        switch answer {
        case .success(let text):
            let size = text.imageSize.map { "; bbox 0 0 \($0.width) \($0.height)" } ?? ""
            var page = start(size)
            let areas = text.blocks.isEmpty ? [nil] : text.blocks.map(Optional.some)
            for (place, block) in areas.enumerated() {
                if let block { page += area(block, "\(number)_\(place + 1)", of: text) }
                for position in block?.lines ?? text.lines.indices {
                    page += line(text.lines[position], "\(number)_\(position + 1)")
                }
                if block != nil { page += "</div>\n" }
            }
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

    /// The beginning of a part of the page, whose class is hOCR's for areas.
    private func area(_ block: TextBlock, _ number: String, of text: RecognizedText) -> String {
        let (width, height) = (Float(text.imageSize?.width ?? 1), Float(text.imageSize?.height ?? 1))
        let edges = [block.box.x * width, block.box.y * height, block.box.maxX * width, block.box.maxY * height]
        let box = edges.map { Self.pixel(Double($0)) }.joined(separator: " ")
        let label = block.label.map { " data-label=\"\($0.withVisibleControls.escapedForXML)\"" } ?? ""
        return "<div class=\"ocr_carea\" id=\"block_\(number)\" title=\"bbox \(box)\"\(label)>\n"
    }

    /// A coordinate as a whole number; 0 for what is none.
    private static func pixel(_ coordinate: Double) -> String {
        coordinate.isNaN ? "0" : String(Int(min(max(coordinate, -1e9), 1e9).rounded()))
    }

    private func line(_ line: RecognizedTextLine, _ number: String) -> String {
        let edges = line.box.edges
        let box = [edges.left, edges.top, edges.right, edges.bottom].map { Self.pixel($0) }
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

extension PredictionRecord where Answer == ImageAnswer {
    /// The page of hOCR with the record's text, or with its error.
    package var hOCRPage: String { HOCRPage(self).text }
}
