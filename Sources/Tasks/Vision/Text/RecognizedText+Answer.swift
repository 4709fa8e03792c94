import Images
import Platform
import Predicting
import Preparation
import Tensors

extension RecognizedText: TaskAnswer {
    package static let kind = "text"
    package static let forms: AnswerForms = [.text, .drawing, .items]
    package static let key = "lines"

    package var pictureSize: ImageSize? { imageSize }
    package var summary: String { string.printable }
    package var bestCells: (value: RowCell, confidence: RowCell) {
        (.text(string), .number(lines.map(\.confidence).min()))
    }

    package func jsonMembers(_ row: RowContext) -> String {
        var text = "\(imageSize.jsonMembers)\"text\":"
        text.appendJSON(string)
        text += ",\"lines\":[\(lines.map(\.jsonText).joined(separator: ","))]"
        if !blocks.isEmpty { text += ",\"blocks\":[\(blocks.map(\.jsonText).joined(separator: ","))]" }
        return text + row.fileMembers("hocr")
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("line") + RowColumn.texts("text") + RowColumn.numbers("confidence")
            + RowColumn.integers("direction") + RowColumn.ofCorners
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        lines.enumerated().map { position, line in
            [
                .integer(position + 1), .text(line.text), .number(line.confidence), .integer(line.direction?.degrees),
            ] + line.box.corners.flatMap { [RowCell.number(Float($0.x)), .number(Float($0.y))] }
        }
    }

    /// A row for each line of text, with its confidence; one that was not read has the box around it in pixels.
    package func tableLines(_ row: RowContext) -> [TableLine] {
        guard !lines.isEmpty else { return [.nothing("no text found")] }
        return lines.map { line in
            TableLine(label: line.text?.printable ?? line.boxText, text: TableLine.percentage(line.confidence))
        }
    }

    package func items(_ options: RowOptions) -> [FoundItem] {
        lines.map { line in
            let corners = line.box.corners.map { Keypoint(x: Float($0.x), y: Float($0.y)) }
            let box = imageSize.map { line.box.box(in: $0) }
            return FoundItem(noun: "line", text: line.text, confidence: line.confidence, box: box, points: corners)
        }
    }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { [] }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(self) }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> RecognizedText {
        let lines = lines.map { line in
            RecognizedTextLine(
                text: line.text, confidence: line.confidence, box: line.box.map(crop.places.applied),
                direction: line.direction)
        }
        return RecognizedText(lines, imageSize: size)
    }
}

extension TextBlock {
    /// The part as JSON, with the number of its first line from 1.
    fileprivate var jsonText: String {
        var text = "{\"label\":"
        if let label { text.appendJSON(label) } else { text += "null" }
        text += ",\"box\":"
        text.appendJSON([box.x, box.y, box.width, box.height])
        return text + ",\"first_line\":\(lines.lowerBound + 1),\"lines\":\(lines.count)}"
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

extension ImageAnswer {
    /// The lines of text; nil for answers of another kind.
    public var text: RecognizedText? { self.as(RecognizedText.self) }
}

extension ImageAnswer.Content {
    /// The lines of text.
    public static let text = ImageAnswer.Content(RecognizedText.self)
}

extension PredictionRecord {
    /// The lines of text in the picture, or the reason why there are none.
    public var text: Result<RecognizedText, RecordError> { required() }
}

extension PredictionRecord where Answer == ImageAnswer {
    /// The text with its control characters made visible, or the error.
    package var plainText: String {
        switch text {
        case .success(let text): text.string.withVisibleControls
        case .failure(let error): "error: \(error.message.printable)"
        }
    }
}
