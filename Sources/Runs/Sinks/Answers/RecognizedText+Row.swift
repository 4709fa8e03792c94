import Images
import Platform
import Vision

extension RecognizedText: RowAnswer {
    static let content = ImageAnswer.Content.text
    static let key = "lines"

    var pictureSize: ImageSize? { imageSize }
    var summary: String { string.printable }
    var bestCells: (value: String, confidence: String) {
        (CSVSink.cell(string), lines.map(\.confidence).min()?.description ?? "")
    }

    func jsonMembers(_ row: RowContext) -> String {
        var text = "\(imageSize.jsonMembers)\"text\":"
        text.appendJSON(string)
        return text + ",\"lines\":[\(lines.map(\.jsonText).joined(separator: ","))]"
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [String] {
        ["line", "text", "confidence", "direction", "x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"]
    }

    func cells(_ row: RowContext) -> [[String]] {
        lines.enumerated().map { position, line in
            [
                String(position + 1), CSVSink.cell(line.text ?? ""), line.confidence.description,
                line.direction.map { String($0.degrees) } ?? "",
            ] + line.box.corners.flatMap { [Float($0.x).description, Float($0.y).description] }
        }
    }

    /// A row for each line of text, with its confidence; one that was not read has the box around it in pixels.
    func tableLines(_ row: RowContext) -> [TableLine] {
        guard !lines.isEmpty else { return [.nothing("no text found")] }
        return lines.map { line in
            TableLine(label: line.text?.printable ?? line.boxText, text: TableLine.percentage(line.confidence))
        }
    }
}

extension RecognizedTextLine {
    /// The line as JSON, with its corners in pixels.
    fileprivate var jsonText: String {
        var text = "{\"text\":"
        text.appendJSON(self.text)
        text += ",\"confidence\":"
        text.appendJSON(confidence)
        text += ",\"box\":["
        for (position, corner) in box.corners.enumerated() {
            if position > 0 { text += "," }
            text.appendJSON([Float(corner.x), Float(corner.y)])
        }
        text += "]"
        if let direction {
            text += ",\"direction\":{\"degrees\":\(direction.degrees),\"confidence\":"
            text.appendJSON(direction.confidence)
            text += "}"
        }
        return text + "}"
    }

    /// The place and the size of the box around the line, in pixels.
    fileprivate var boxText: String {
        let edges = box.edges
        func pixels(_ number: Double, width: Int) -> String { number.text(decimals: 0, width: width) }
        let place = "\(pixels(edges.left, width: 5)) \(pixels(edges.top, width: 5))"
        return place + "  \(pixels(edges.right - edges.left, width: 5)) x \(pixels(edges.bottom - edges.top, width: 0))"
    }
}
