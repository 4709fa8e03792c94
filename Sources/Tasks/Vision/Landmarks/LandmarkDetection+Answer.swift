import Images
import Platform
import Predicting
import Preparation
import Tensors

extension LandmarkDetection: TaskAnswer {
    package static let kind = "landmarks"
    package static let forms: AnswerForms = [.cocoResults, .regions, .drawing, .items]

    package var pictureSize: ImageSize? { imageSize }
    package var bestCells: (value: RowCell, confidence: RowCell) { (.empty, .number(confidence)) }
    package var summary: String { "\(points.count) points" }

    package var cocoEntries: [COCOEntry] { [COCOEntry(classIndex: 0, score: confidence ?? 1, keypoints: points)] }

    package func jsonMembers(_ row: RowContext) -> String {
        var text = "\(imageSize.jsonMembers)\"landmarks\":{\"confidence\":"
        if let confidence { text.appendJSON(confidence) } else { text += "null" }
        return text + ",\"points\":\(points.jsonText)}"
    }

    /// The columns, of which each point has a row.
    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.numbers("confidence") + RowColumn.integers("point") + RowColumn.texts("name")
            + RowColumn.numbers("x", "y", "z", "point_confidence")
    }

    package func cells(_ row: RowContext) -> [[RowCell]] { points.cells.map { [RowCell.number(confidence)] + $0 } }

    package func cellsOfNothing(_ row: RowContext) -> [RowCell] { [.number(confidence)] }

    package func tableLines(_ row: RowContext) -> [TableLine] {
        let confidence = confidence.map { "  " + TableLine.percentage($0) } ?? ""
        return [TableLine(text: "\(points.count) points\(confidence)")]
    }

    package func items(_ options: RowOptions) -> [FoundItem] {
        [FoundItem(noun: "points", confidence: confidence, points: points)]
    }

    package func shownItems(_ options: RowOptions) -> [FoundItem] { points.isEmpty ? [] : items(options) }

    package func labelStudioRegions(_ options: RowOptions) throws(RegionsWithoutSize) -> [LabelStudioRegion] {
        guard let imageSize else { throw RegionsWithoutSize() }
        return LabelStudioRegion.points(points, in: imageSize, parent: nil)
    }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { [] }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(self) }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> LandmarkDetection {
        LandmarkDetection(
            points.map { $0.placed(by: crop, in: size) }, confidence: confidence, imageSize: size, skeleton: skeleton)
    }
}

extension [Keypoint] {
    /// The points as a list of JSON, with what is known of each.
    package var jsonText: String {
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
    package var cells: [[RowCell]] {
        enumerated().map { position, point in
            [
                .integer(position), .text(point.name), .number(point.x), .number(point.y), .number(point.z),
                .number(point.confidence),
            ]
        }
    }
}

extension ImageAnswer {
    /// The points of the one thing that the picture shows; nil for answers of another kind.
    public var landmarks: LandmarkDetection? { self.as(LandmarkDetection.self) }
}

extension ImageAnswer.Content {
    /// The points of the one thing that the picture shows.
    public static let landmarks = ImageAnswer.Content(LandmarkDetection.self)
}

extension PredictionRecord {
    /// The points of what the picture shows, or the reason why there are none.
    public var landmarks: Result<LandmarkDetection, RecordError> { required() }
}

extension Image {
    /// The picture with points and the lines between them.
    ///
    ///     let drawn = try image.drawing(try await detector.predict(.image(image)))
    public func drawing(_ landmarks: LandmarkDetection) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        draw(landmarks.points, landmarks.skeleton, Self.colors[1], on: &canvas)
        return try canvas.image()
    }
}
