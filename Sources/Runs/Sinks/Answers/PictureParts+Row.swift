import Images
import Platform
import Vision

extension PictureParts: RowAnswer {
    static let content = ImageAnswer.Content.parts
    static let key = "objects"
    static let tableName = "parts"

    var pictureSize: ImageSize? { imageSize }

    /// The points that stages find in each object, with its box where they have none; the object where no stage finds
    /// any.
    var cocoEntries: [COCOEntry] {
        parts.flatMap { part -> [COCOEntry] in
            let object = COCOEntry(part.object, in: imageSize)
            let found = part.answers.flatMap(\.answer.row.cocoEntries).filter { $0.keypoints != nil }
            return found.isEmpty ? [object] : found.map { $0.with(box: $0.box ?? object.box) }
        }
    }

    func jsonMembers(_ row: RowContext) -> String {
        "\(imageSize.jsonMembers)\"objects\":[\(parts.map { $0.jsonText(row) }.joined(separator: ","))]"
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("part") + RowColumn.ofObject + RowColumn.texts("stage", "kind", "value")
            + RowColumn.numbers("value_confidence") + RowColumn.texts("json")
    }

    /// The cells of a row for each object and stage.
    func cells(_ row: RowContext) -> [[RowCell]] {
        parts.enumerated().flatMap { position, part in
            let beginning = [RowCell.integer(position + 1)] + part.object.cells
            let ends: [[RowCell]] = part.answers.map { stage, answer in
                let answer = answer.row
                let best = answer.bestCells
                return [.text(stage), .text(type(of: answer).content.rawValue), best.value, best.confidence]
                    + [.text("{\(answer.jsonMembers(row))}")]
            }
            return (ends.isEmpty ? [[]] : ends).map { beginning + $0 }
        }
    }

    /// A line for each object, and behind it a few words for each answer of the other stages.
    func tableLines(_ row: RowContext) -> [TableLine] {
        var lines = ObjectDetection(parts.map(\.object), imageSize: imageSize).tableLines(row)
        for (index, part) in parts.enumerated() {
            lines[index].rest = part.answers.map { "  \($0.stage.printable): \($0.answer.row.summary)" }.joined()
        }
        return lines
    }
}

extension PicturePart {
    /// The object, and what the other stages of a recipe say about it, as JSON.
    fileprivate func jsonText(_ row: RowContext) -> String {
        var text = String(object.jsonText.dropLast()) + ",\"answers\":{"
        for (position, answer) in answers.enumerated() {
            if position > 0 { text += "," }
            text.appendJSON(answer.stage)
            text += ":{\(answer.answer.row.jsonMembers(row))}"
        }
        return text + "}}"
    }
}
