import Platform
import SQLite
import Vision

extension ImageEmbedding: RowAnswer {
    static let content = ImageAnswer.Content.embeddings
    static let name = "embedding"
    static let key = "embedding"
    static let tableName = "embeddings"

    var summary: String { "\(vector.count) numbers" }
    var numberRow: RowNumbers? { RowNumbers(vector) }

    func jsonMembers(_ row: RowContext) -> String {
        var text = "\"embedding\":"
        text.appendJSON(vector)
        return text
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.numbers((0..<vectorLength).map { "x\($0)" })
    }

    func cells(_ row: RowContext) -> [[RowCell]] { [vector.map { RowCell.number($0) }] }

    static var table: AnswerTable {
        AnswerTable(name: tableName, counter: nil, columns: [("vector", "BLOB NOT NULL")])
    }

    func databaseRows(_ row: RowContext) -> [[DatabaseValue]] { [[.blob(vector.withUnsafeBytes { Array($0) })]] }

    func tableLines(_ row: RowContext) -> [TableLine] {
        let first = vector.prefix(4).map { Double($0).text(decimals: 4) }.joined(separator: " ")
        return [TableLine(text: "\(vector.count) numbers  \(first)\(vector.count > 4 ? " …" : "")")]
    }
}
