import Images
import Platform
import Predicting
import Preparation
import SQLite
import Tensors

extension Classification: TaskAnswer {
    package static let kind = "classes"
    package static let forms: AnswerForms = [.numbers, .regions, .drawing, .items]
    package static let key = "predictions"

    package var bestCells: (value: RowCell, confidence: RowCell) { (.text(best.identifier), .number(confidence)) }
    package var numberRow: RowNumbers? { RowNumbers(scores) }
    package var summary: String {
        (label ?? "class \(best.index)").printable + TableLine.percentage(confidence).replacing("  ", with: " ")
    }

    package func jsonMembers(_ row: RowContext) -> String {
        let predictions = row.options.predictions(self).map { prediction in
            var text = "{\"index\":\(prediction.index),\"label\":"
            text.appendJSON(prediction.label)
            text += ",\"confidence\":"
            text.appendJSON(prediction.confidence)
            return text + "}"
        }
        return "\"predictions\":[\(predictions.joined(separator: ","))]"
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        (0..<max(0, options.top)).flatMap { position in
            RowColumn.integers("index_\(position + 1)") + RowColumn.texts("label_\(position + 1)")
                + RowColumn.numbers("confidence_\(position + 1)")
        }
    }

    package func cells(_ row: RowContext) -> [[RowCell]] { [row.options.predictions(self).flatMap(\.cells)] }

    package static var table: AnswerTable {
        AnswerTable(
            name: tableName, counter: "rank",
            columns: [("class", "INTEGER NOT NULL"), ("label", "TEXT"), ("confidence", "REAL")])
    }

    package func databaseRows(_ row: RowContext) -> [[DatabaseValue]] {
        row.options.predictions(self).enumerated().map { rank, prediction in
            [DatabaseValue(rank + 1)] + prediction.cells.map(\.databaseValue)
        }
    }

    package func tableLines(_ row: RowContext) -> [TableLine] {
        let lines = row.options.predictions(self).enumerated().map { position, prediction in
            TableLine(
                label: (prediction.label ?? "class \(prediction.index)").printable,
                text: TableLine.percentage(prediction.confidence), style: position == 0 ? .bold : .faint)
        }
        return lines.isEmpty ? [.nothing("no class is confident enough")] : lines
    }

    package var pictureSize: ImageSize? { nil }

    package func items(_ options: RowOptions) -> [FoundItem] {
        options.predictions(self).map { FoundItem(label: $0, confidence: $0.confidence) }
    }

    package func labelStudioRegions(_ options: RowOptions) -> [LabelStudioRegion] {
        options.predictions(self).prefix(1).map { .choice($0) }
    }

    package func namedTensors() throws(TensorError) -> [(name: String, tensor: Tensor)] {
        [
            ("confidences", try Tensor(confidences, shape: [confidences.count])),
            ("scores", try Tensor(scores, shape: [scores.count])),
        ]
    }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(top(Image.drawnClassCount)) }

    /// The classes of a part are not those of the picture.
    package func drawingOfPart(on image: Image) -> Image? { nil }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> Classification { self }
}

extension ClassificationObservation {
    fileprivate var cells: [RowCell] { [.integer(index), .text(label), .number(confidence)] }
}

extension ImageAnswer {
    /// The classes of the picture; nil for answers of another kind.
    public var classes: Classification? { self.as(Classification.self) }
}

extension ImageAnswer.Content {
    /// The classes of the picture.
    public static let classes = ImageAnswer.Content(Classification.self)
}

extension PredictionRecord {
    /// The classes, or the reason why there are none.
    public var classification: Result<Classification, RecordError> { required() }
}

extension RowOptions {
    /// Makes options, for classes unless `content` says otherwise.
    public init(
        top: Int = 5, minimumConfidence: Float = 0, content: ImageAnswer.Content = .classes, maskForm: MaskForm = .rle
    ) {
        self.init(content: content, top: top, minimumConfidence: minimumConfidence, maskForm: maskForm)
    }

    /// The classes of an answer that are written.
    func predictions(_ answer: Classification) -> [ClassificationObservation] {
        answer.top(top, minimumConfidence: minimumConfidence)
    }
}

extension Image {
    /// The picture with the names and confidences of classes in its upper left corner, one below the other.
    ///
    ///     let drawn = try image.drawing(try await classifier.predict(.image(image)).top(5))
    public func drawing(_ classes: [ClassificationObservation]) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        let scale = max(1, min(width, height) / 300)
        var y = 0
        for observation in classes {
            let text = Self.caption(observation.identifier, observation.confidence)
            let color = Self.colors[observation.index % Self.colors.count]
            canvas.write(text, x: 0, y: y, scale: scale, color.ofText, on: color)
            y += Canvas.extent(of: text, scale: scale).height
        }
        return try canvas.image()
    }

    /// The number of classes that are drawn.
    static let drawnClassCount = 5
}
