import Images
import Platform
import Predicting
import Tensors

extension PictureParts: TaskAnswer {
    package static let kind = "parts"
    package static let forms: AnswerForms = [.cocoResults, .drawing, .items]
    package static let key = "objects"
    package static let tableName = "parts"

    package var pictureSize: ImageSize? { imageSize }

    /// The points that stages find in each object, with its box where they have none; the object where no stage finds
    /// any.
    package var cocoEntries: [COCOEntry] {
        parts.flatMap { part -> [COCOEntry] in
            let object = COCOEntry(part.object, in: imageSize)
            let found = part.answers.flatMap(\.answer.base.cocoEntries).filter { $0.keypoints != nil }
            return found.isEmpty ? [object] : found.map { $0.with(box: $0.box ?? object.box) }
        }
    }

    package func jsonMembers(_ row: RowContext) -> String {
        "\(imageSize.jsonMembers)\"objects\":[\(parts.map { $0.jsonText(row) }.joined(separator: ","))]"
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("part") + RowColumn.ofObject + RowColumn.texts("stage", "kind", "value")
            + RowColumn.numbers("value_confidence") + RowColumn.texts("json")
    }

    /// The cells of a row for each object and stage.
    package func cells(_ row: RowContext) -> [[RowCell]] {
        parts.enumerated().flatMap { position, part in
            let beginning = [RowCell.integer(position + 1)] + part.object.cells
            let ends: [[RowCell]] = part.answers.map { stage, answer in
                let answer = answer.base
                let best = answer.bestCells
                return [.text(stage), .text(type(of: answer).kind), best.value, best.confidence]
                    + [.text("{\(answer.jsonMembers(row))}")]
            }
            return (ends.isEmpty ? [[]] : ends).map { beginning + $0 }
        }
    }

    /// A line for each object, and behind it a few words for each answer of the other stages.
    package func tableLines(_ row: RowContext) -> [TableLine] {
        var lines = ObjectDetection(parts.map(\.object), imageSize: imageSize).tableLines(row)
        for (index, part) in parts.enumerated() {
            lines[index].rest = part.answers.map { "  \($0.stage.printable): \($0.answer.summary)" }.joined()
        }
        return lines
    }

    package var summary: String { "…" }

    package func items(_ options: RowOptions) -> [FoundItem] { parts.map { FoundItem($0.object) } }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { [] }

    package func drawing(on image: Image) throws(ImageError) -> Image? {
        var drawn = try image.drawing(parts.map(\.object))
        for answer in parts.flatMap(\.answers) { drawn = try answer.answer.base.drawingOfPart(on: drawn) ?? drawn }
        return drawn
    }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> PictureParts { self }
}

extension PicturePart {
    /// The object, and what the other stages of a recipe say about it, as JSON.
    fileprivate func jsonText(_ row: RowContext) -> String {
        var text = String(object.jsonText.dropLast()) + ",\"answers\":{"
        for (position, answer) in answers.enumerated() {
            if position > 0 { text += "," }
            text.appendJSON(answer.stage)
            text += ":{\(answer.answer.base.jsonMembers(row))}"
        }
        return text + "}}"
    }
}

extension ImageAnswer {
    /// The objects, and what the other stages of a recipe say about each; nil for answers of another kind.
    public var parts: PictureParts? { self.as(PictureParts.self) }
}

extension ImageAnswer.Content {
    /// The objects, and what the other stages of a recipe say about each.
    public static let parts = ImageAnswer.Content(PictureParts.self)
}
