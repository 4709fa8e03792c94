import Images
import Platform
import Predicting
import Preparation
import Tensors

extension ObjectDetection: TaskAnswer {
    package static let kind = "objects"
    package static let forms: AnswerForms = [.cocoResults, .regions, .drawing, .items]

    package var pictureSize: ImageSize? { imageSize }
    package var summary: String { "\(objects.count) objects" }

    package var cocoEntries: [COCOEntry] { objects.map { COCOEntry($0, in: imageSize) } }

    package func jsonMembers(_ row: RowContext) -> String {
        let objects = objects.map(\.jsonText).joined(separator: ",")
        return "\(imageSize.jsonMembers)\"objects\":[\(objects)]" + row.fileMembers("yolo", "voc")
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        [RowColumn(name: "time", content: .text, isOfRecord: true)] + RowColumn.ofObject + RowColumn.integers("track")
            + (options.hasCorners ? RowColumn.ofCorners : [])
    }

    package static func cellsOfFailure(_ row: RowContext) -> [RowCell] { [.text(row.timestamp?.secondsText)] }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        objects.map { object in
            [RowCell.text(row.timestamp?.secondsText)] + object.cells + [.integer(object.trackID)]
                + (row.options.hasCorners ? object.cornerCells : [])
        }
    }

    /// A line for each object: class, confidence, and box in pixels, or in fractions of the picture when its size is
    /// unknown.
    package func tableLines(_ row: RowContext) -> [TableLine] {
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

    package func items(_ options: RowOptions) -> [FoundItem] { objects.map { FoundItem($0) } }

    package func labelStudioRegions(_ options: RowOptions) throws(RegionsWithoutSize) -> [LabelStudioRegion] {
        guard let imageSize else { throw RegionsWithoutSize() }
        return objects.map { .rectangle($0, in: imageSize) }
    }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { [] }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(objects) }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> ObjectDetection {
        ObjectDetection(objects.map { $0.placed(by: crop, in: size) }, imageSize: size)
    }
}

extension RecognizedObject {
    /// The object as JSON; its box is `[x, y, width, height]` in fractions of the picture from the upper left.
    package var jsonText: String {
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
    package var cells: [RowCell] {
        [.integer(labels.first?.index ?? 0), .text(label), .number(confidence)] + box.numbers.map { RowCell.number($0) }
    }

    /// The corners of a turned box.
    fileprivate var cornerCells: [RowCell] { corners.flatMap { [RowCell.number($0.x), .number($0.y)] } }
}

extension NormalizedBox {
    /// The place and the size.
    package var numbers: [Float] { [x, y, width, height] }
}

extension ImageSize? {
    /// The width and the height as members of an object of JSON, each with a comma after it; empty where they are
    /// unknown.
    package var jsonMembers: String { map { "\"width\":\($0.width),\"height\":\($0.height)," } ?? "" }
}

extension ImageAnswer {
    /// The objects in the picture; nil for answers of another kind.
    public var objects: ObjectDetection? { self.as(ObjectDetection.self) }
}

extension ImageAnswer.Content {
    /// The objects in the picture.
    public static let objects = ImageAnswer.Content(ObjectDetection.self)
}

extension PredictionRecord {
    /// The objects, or the reason why there are none.
    public var detection: Result<ObjectDetection, RecordError> { required() }
}
