import Images
import Platform
import Predicting
import Preparation
import Tensors

extension Regression: TaskAnswer {
    package static let kind = "regression"
    package static let forms: AnswerForms = [.numbers]

    package var pictureSize: ImageSize? { nil }
    package var summary: String { values.map { $0.text }.joined(separator: ", ") }
    package var bestCells: (value: RowCell, confidence: RowCell) { (.number(values.first?.value), .empty) }
    package var numberRow: RowNumbers? { RowNumbers(values.map(\.value)) }

    package func jsonMembers(_ row: RowContext) -> String {
        let members = values.map { value in
            var text = "{\"index\":\(value.index),\"label\":"
            text.appendJSON(value.label)
            text += ",\"value\":"
            text.appendJSON(value.value)
            return text + "}"
        }
        return "\"regression\":[\(members.joined(separator: ","))]"
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("index") + RowColumn.texts("label") + RowColumn.numbers("value")
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        values.map { [.integer($0.index), .text($0.label), .number($0.value)] }
    }

    package func tableLines(_ row: RowContext) -> [TableLine] { [TableLine(text: summary)] }

    package func items(_ options: RowOptions) -> [FoundItem] { [] }

    package func namedTensors() throws(TensorError) -> [(name: String, tensor: Tensor)] {
        [("values", try Tensor(values.map(\.value), shape: [values.count]))]
    }

    package func drawing(on image: Image) -> Image? { nil }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> Regression { self }
}

extension Regression.Value {
    /// The number behind its name.
    fileprivate var text: String { (label.map { $0.printable + " " } ?? "") + "\(value)" }
}

extension ImageAnswer {
    /// The numbers that the network estimates; nil for an answer of another kind.
    public var regression: Regression? { self.as(Regression.self) }
}

extension ImageAnswer.Content {
    /// The numbers that the network estimates.
    public static let regression = ImageAnswer.Content(Regression.self)
}

extension PredictionRecord {
    /// The numbers that the network estimates, or the reason why there are none.
    public var regression: Result<Regression, RecordError> { required() }
}
