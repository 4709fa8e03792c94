import Platform
import SQLite
import Vision

extension Classification: RowAnswer {
    static let content = ImageAnswer.Content.classes
    static let key = "predictions"

    var bestCells: (value: RowCell, confidence: RowCell) { (.text(best.identifier), .number(confidence)) }
    var numberRow: RowNumbers? { RowNumbers(scores) }
    var summary: String {
        (label ?? "class \(best.index)").printable + TableLine.percentage(confidence).replacing("  ", with: " ")
    }

    func jsonMembers(_ row: RowContext) -> String {
        let predictions = row.options.predictions(self).map { prediction in
            var text = "{\"index\":\(prediction.index),\"label\":"
            text.appendJSON(prediction.label)
            text += ",\"confidence\":"
            text.appendJSON(prediction.confidence)
            return text + "}"
        }
        return "\"predictions\":[\(predictions.joined(separator: ","))]"
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        (0..<max(0, options.top)).flatMap { position in
            RowColumn.integers("index_\(position + 1)") + RowColumn.texts("label_\(position + 1)")
                + RowColumn.numbers("confidence_\(position + 1)")
        }
    }

    func cells(_ row: RowContext) -> [[RowCell]] { [row.options.predictions(self).flatMap(\.cells)] }

    static var table: AnswerTable {
        AnswerTable(
            name: tableName, counter: "rank",
            columns: [("class", "INTEGER NOT NULL"), ("label", "TEXT"), ("confidence", "REAL")])
    }

    func databaseRows(_ row: RowContext) -> [[DatabaseValue]] {
        row.options.predictions(self).enumerated().map { rank, prediction in
            [DatabaseValue(rank + 1)] + prediction.cells.map(\.databaseValue)
        }
    }

    func tableLines(_ row: RowContext) -> [TableLine] {
        let lines = row.options.predictions(self).enumerated().map { position, prediction in
            TableLine(
                label: (prediction.label ?? "class \(prediction.index)").printable,
                text: TableLine.percentage(prediction.confidence), style: position == 0 ? .bold : .faint)
        }
        return lines.isEmpty ? [.nothing("no class is confident enough")] : lines
    }
}

extension ClassificationObservation {
    fileprivate var cells: [RowCell] { [.integer(index), .text(label), .number(confidence)] }
}
