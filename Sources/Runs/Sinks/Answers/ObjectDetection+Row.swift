import Images
import Platform
import Vision

extension ObjectDetection: RowAnswer {
    static let content = ImageAnswer.Content.objects

    var pictureSize: ImageSize? { imageSize }
    var summary: String { "\(objects.count) objects" }

    var cocoEntries: [COCOEntry] { objects.map { COCOEntry($0, in: imageSize) } }

    func jsonMembers(_ row: RowContext) -> String {
        let objects = objects.map(\.jsonText).joined(separator: ",")
        return "\(imageSize.jsonMembers)\"objects\":[\(objects)]" + row.fileMembers("yolo", "voc")
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        [RowColumn(name: "time", content: .text, isOfRecord: true)] + RowColumn.ofObject + RowColumn.integers("track")
            + (options.hasCorners ? RowColumn.ofCorners : [])
    }

    static func cellsOfFailure(_ row: RowContext) -> [RowCell] { [.text(row.timestamp?.secondsText)] }

    func cells(_ row: RowContext) -> [[RowCell]] {
        objects.map { object in
            [RowCell.text(row.timestamp?.secondsText)] + object.cells + [.integer(object.trackID)]
                + (row.options.hasCorners ? object.cornerCells : [])
        }
    }

    /// A line for each object: class, confidence, and box in pixels, or in fractions of the picture when its size is
    /// unknown.
    func tableLines(_ row: RowContext) -> [TableLine] {
        guard !objects.isEmpty else { return [.nothing("nothing found")] }
        return objects.map { object in
            var text = TableLine.percentage(object.confidence) + "  "
            if let size = imageSize {
                let box = object.box.pixels(in: size)
                text += TableLine.box([box.x, box.y, box.width, box.height], decimals: 0, width: 5)
            } else {
                text += TableLine.box(object.box.numbers, decimals: 3, width: 6)
            }
            return TableLine(
                label: (object.label ?? "class \(object.identifier)").printable,
                text: text + (object.trackID.map { "  #\($0)" } ?? ""))
        }
    }
}

extension RecognizedObject {
    /// The object as JSON; its box is `[x, y, width, height]` in fractions of the picture from the upper left.
    var jsonText: String {
        var text = "{\"index\":\(labels.first?.index ?? 0),\"label\":"
        text.appendJSON(label)
        text += ",\"confidence\":"
        text.appendJSON(confidence)
        text += ",\"box\":"
        text.appendJSON(box.numbers)
        text.appendCorners(corners)
        if let trackID { text += ",\"track\":\(trackID)" }
        if !points.isEmpty {
            text += ",\"points\":["
            for (position, point) in points.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON([point.x, point.y])
            }
            text += "]"
        }
        return text + "}"
    }

    /// The class, the confidence and the box.
    var cells: [RowCell] {
        [.integer(labels.first?.index ?? 0), .text(label), .number(confidence)] + box.numbers.map { RowCell.number($0) }
    }

    /// The corners of a turned box.
    fileprivate var cornerCells: [RowCell] { corners.flatMap { [RowCell.number($0.x), .number($0.y)] } }
}

extension NormalizedBox {
    /// The place and the size.
    var numbers: [Float] { [x, y, width, height] }
}

extension ImageSize? {
    /// The width and the height as members of an object of JSON, each with a comma after it; empty where they are
    /// unknown.
    var jsonMembers: String { map { "\"width\":\($0.width),\"height\":\($0.height)," } ?? "" }
}
