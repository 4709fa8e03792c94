import Images
import Platform
import Vision

extension LandmarkDetection: RowAnswer {
    static let content = ImageAnswer.Content.landmarks

    var pictureSize: ImageSize? { imageSize }
    var bestCells: (value: RowCell, confidence: RowCell) { (.empty, .number(confidence)) }
    var summary: String { "\(points.count) points" }

    var cocoEntries: [COCOEntry] { [COCOEntry(classIndex: 0, score: confidence ?? 1, keypoints: points)] }

    func jsonMembers(_ row: RowContext) -> String {
        var text = "\(imageSize.jsonMembers)\"landmarks\":{\"confidence\":"
        if let confidence { text.appendJSON(confidence) } else { text += "null" }
        return text + ",\"points\":\(points.jsonText)}"
    }

    /// The columns, of which each point has a row.
    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.numbers("confidence") + RowColumn.integers("point") + RowColumn.texts("name")
            + RowColumn.numbers("x", "y", "z", "point_confidence")
    }

    func cells(_ row: RowContext) -> [[RowCell]] { points.cells.map { [RowCell.number(confidence)] + $0 } }

    func cellsOfNothing(_ row: RowContext) -> [RowCell] { [.number(confidence)] }

    func tableLines(_ row: RowContext) -> [TableLine] {
        let confidence = confidence.map { "  " + TableLine.percentage($0) } ?? ""
        return [TableLine(text: "\(points.count) points\(confidence)")]
    }
}

extension [Keypoint] {
    /// The points as a list of JSON, with what is known of each.
    var jsonText: String {
        var text = "["
        for (position, point) in enumerated() {
            text += position > 0 ? ",{" : "{"
            if let name = point.name {
                text += "\"name\":"
                text.appendJSON(name)
                text += ","
            }
            text += "\"x\":"
            text.appendJSON(point.x)
            text += ",\"y\":"
            text.appendJSON(point.y)
            if let z = point.z {
                text += ",\"z\":"
                text.appendJSON(z)
            }
            if let confidence = point.confidence {
                text += ",\"confidence\":"
                text.appendJSON(confidence)
            }
            text += "}"
        }
        return text + "]"
    }

    /// The position, name, place and confidence of each point.
    var cells: [[RowCell]] {
        enumerated().map { position, point in
            [
                .integer(position), .text(point.name), .number(point.x), .number(point.y), .number(point.z),
                .number(point.confidence),
            ]
        }
    }
}
