import Platform
import Vision

extension Classification: RowAnswer {
    static let content = ImageAnswer.Content.classes
    static let key = "predictions"

    var bestCells: (value: String, confidence: String) { (CSVSink.cell(best.identifier), confidence.description) }
    var numberRow: [Float]? { scores }
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

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [String] {
        (0..<max(0, options.top)).flatMap { position in
            ["index", "label", "confidence"].map { "\($0)_\(position + 1)" }
        }
    }

    func cells(_ row: RowContext) -> [[String]] {
        [
            row.options.predictions(self).flatMap { prediction in
                [String(prediction.index), CSVSink.cell(prediction.label ?? ""), prediction.confidence.description]
            }
        ]
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
