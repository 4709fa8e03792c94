import Images
import Platform
import Vision

extension RecognizedText: RowAnswer {
    static let content = ImageAnswer.Content.text
    static let key = "lines"

    var pictureSize: ImageSize? { imageSize }
    var summary: String { string.printable }
    var bestCells: (value: RowCell, confidence: RowCell) {
        (.text(string), .number(lines.map(\.confidence).min()))
    }

    func jsonMembers(_ row: RowContext) -> String {
        var text = "\(imageSize.jsonMembers)\"text\":"
        text.appendJSON(string)
        return text + ",\"lines\":[\(lines.map(\.jsonText).joined(separator: ","))]" + row.fileMembers("hocr")
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("line") + RowColumn.texts("text") + RowColumn.numbers("confidence")
            + RowColumn.integers("direction") + RowColumn.ofCorners
    }

    func cells(_ row: RowContext) -> [[RowCell]] {
        lines.enumerated().map { position, line in
            [
                .integer(position + 1), .text(line.text), .number(line.confidence), .integer(line.direction?.degrees),
            ] + line.box.corners.flatMap { [RowCell.number(Float($0.x)), .number(Float($0.y))] }
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
