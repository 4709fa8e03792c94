import Images
import Platform
import Predicting
import Preparation
import Tensors

/// The classes that each of several outputs of a network gives for one picture, such as age and gender, or the digits
/// of a number.
///
///     let answer = try await classifier.predict(.file("face.png"))
///     print(answer["gender"]?.label ?? "?", answer.heads.map(\.classification.best.index))
public struct HeadClassification: Sendable {
    /// The answer of one output.
    public struct Head: Sendable {
        /// The name of the output.
        public let name: String
        /// The classes.
        public let classification: Classification
    }

    /// The answers, in the order of the network's outputs.
    public let heads: [Head]

    /// The classes of the output of a name; nil when there is none.
    public subscript(name: String) -> Classification? { heads.first { $0.name == name }?.classification }
}

extension HeadClassification: TaskAnswer {
    package static let kind = "heads"
    package static let forms: AnswerForms = [.drawing, .items]

    private var best: [ClassificationObservation] { heads.map(\.classification.best) }

    package var bestCells: (value: RowCell, confidence: RowCell) {
        (.text(best.map(\.identifier).joined(separator: " ")), .number(best.map(\.confidence).min()))
    }
    package var summary: String { best.map { $0.identifier.printable }.joined(separator: ", ") }

    package func jsonMembers(_ row: RowContext) -> String {
        let members = heads.map { head in
            var text = "{\"name\":"
            text.appendJSON(head.name)
            return text + ",\(head.classification.jsonMembers(row))}"
        }
        return "\"heads\":[\(members.joined(separator: ","))]"
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.texts("head") + RowColumn.integers("index") + RowColumn.texts("label")
            + RowColumn.numbers("confidence")
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        heads.flatMap { head in
            row.options.predictions(head.classification).map { prediction in
                [
                    .text(head.name), .integer(prediction.index), .text(prediction.label),
                    .number(prediction.confidence),
                ]
            }
        }
    }

    package func tableLines(_ row: RowContext) -> [TableLine] {
        heads.map { head in
            let best = head.classification.best
            return TableLine(
                label: head.name.printable,
                text: "\(best.identifier.printable) \(TableLine.percentage(best.confidence).trimmed)")
        }
    }

    package var pictureSize: ImageSize? { nil }

    package func items(_ options: RowOptions) -> [FoundItem] {
        best.map { FoundItem(label: $0, confidence: $0.confidence) }
    }

    package func namedTensors() throws(TensorError) -> [(name: String, tensor: Tensor)] {
        try heads.map { (head) throws(TensorError) in
            let confidences = head.classification.confidences
            return (head.name, try Tensor(confidences, shape: [confidences.count]))
        }
    }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(best) }

    /// The classes of a part are not those of the picture.
    package func drawingOfPart(on image: Image) -> Image? { nil }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> HeadClassification { self }
}

extension ImageAnswer {
    /// The classes of several outputs; nil for an answer of another kind.
    public var heads: HeadClassification? { self.as(HeadClassification.self) }
}

extension ImageAnswer.Content {
    /// The classes of several outputs.
    public static let heads = ImageAnswer.Content(HeadClassification.self)
}

extension PredictionRecord {
    /// The classes of several outputs, or the reason why there are none.
    public var heads: Result<HeadClassification, RecordError> { required() }
}
