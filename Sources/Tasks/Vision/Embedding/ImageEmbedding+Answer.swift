import Images
import Platform
import Predicting
import SQLite
import Preparation
import Tensors

extension ImageEmbedding: TaskAnswer {
    package static let kind = "embeddings"
    package static let reasonForNoArray = "the length of the vectors is not fixed, so that they make no array"
    package static let forms: AnswerForms = [.numbers, .vector]
    package static let name = "embedding"
    package static let key = "embedding"
    package static let tableName = "embeddings"

    package var summary: String { "\(vector.count) numbers" }
    package var numberRow: RowNumbers? { RowNumbers(vector) }

    package func jsonMembers(_ row: RowContext) -> String {
        var text = "\"embedding\":"
        text.appendJSON(vector)
        return text
    }

    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.numbers((0..<vectorLength).map { "x\($0)" })
    }

    package func cells(_ row: RowContext) -> [[RowCell]] { [vector.map { RowCell.number($0) }] }

    package static var table: AnswerTable {
        AnswerTable(name: tableName, counter: nil, columns: [("vector", "BLOB NOT NULL")])
    }

    package func databaseRows(_ row: RowContext) -> [[DatabaseValue]] {
        [[.blob(vector.withUnsafeBytes { Array($0) })]]
    }

    package func tableLines(_ row: RowContext) -> [TableLine] {
        let first = vector.prefix(4).map { Double($0).text(decimals: 4) }.joined(separator: " ")
        return [TableLine(text: "\(vector.count) numbers  \(first)\(vector.count > 4 ? " …" : "")")]
    }

    package var pictureSize: ImageSize? { nil }

    package func items(_ options: RowOptions) -> [FoundItem] { [] }

    package func namedTensors() throws(TensorError) -> [(name: String, tensor: Tensor)] {
        [("embedding", try Tensor(vector, shape: [vector.count]))]
    }

    package func drawing(on image: Image) -> Image? { nil }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> ImageEmbedding { self }
}

extension ImageAnswer {
    /// The vector by which the picture is compared with others; nil for answers of another kind.
    public var embedding: ImageEmbedding? { self.as(ImageEmbedding.self) }
}

extension ImageAnswer.Content {
    /// The vector by which the picture is compared with others.
    public static let embeddings = ImageAnswer.Content(ImageEmbedding.self)
}

extension PredictionRecord {
    /// The vector by which the picture is compared, or the reason why there is none.
    public var embedding: Result<ImageEmbedding, RecordError> { required() }
}
