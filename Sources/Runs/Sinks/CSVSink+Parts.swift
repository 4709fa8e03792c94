import Platform
import Vision

extension CSVSink {
    /// The columns of what the stages of a recipe say about each object.
    static let partColumns = [
        "id", "error", "part", "index", "label", "confidence", "x", "y", "width", "height", "stage", "kind", "value",
        "value_confidence", "json",
    ]

    /// The rows of a record with the answers of a recipe: one for each object and stage, and one with empty cells where
    /// there are no objects.
    static func partRows(of record: PredictionRecord, _ options: SinkKind.RowOptions) -> [[String]] {
        let id = cell(record.id)
        switch record.answer {
        case .success(.parts(let answer)):
            let rows = answer.parts.enumerated().flatMap { position, part in
                let beginning = [id, "", String(position + 1)] + objectCells(part.object)
                let ends = part.answers.map { stage, answer in
                    [cell(stage)] + answerCells(answer) + [cell(record.jsonObject(answer, options))]
                }
                return (ends.isEmpty ? [empty(5)] : ends).map { beginning + $0 }
            }
            return rows.isEmpty ? [[id, ""] + empty(partColumns.count - 2)] : rows
        case .success: return []
        case .failure(let error):
            return [[id, cell("\(error.stage)/\(error.code): \(error.message)")] + empty(partColumns.count - 2)]
        }
    }

    private static func objectCells(_ object: RecognizedObject) -> [String] {
        let box = object.box
        return [String(object.labels.first?.index ?? 0), cell(object.label ?? "")]
            + [object.confidence, box.x, box.y, box.width, box.height].map(\.description)
    }

    /// The kind of an answer, and its best class or text with the confidence in it, where it has one.
    private static func answerCells(_ answer: ImageAnswer) -> [String] {
        switch answer {
        case .classes(let classes):
            [answer.content.rawValue, cell(classes.best.identifier), classes.confidence.description]
        case .text(let text):
            [answer.content.rawValue, cell(text.string), text.lines.map(\.confidence).min()?.description ?? ""]
        case .landmarks(let landmarks):
            [answer.content.rawValue, "", landmarks.confidence?.description ?? ""]
        default: [answer.content.rawValue, "", ""]
        }
    }

    private static func empty(_ count: Int) -> [String] { [String](repeating: "", count: count) }
}

extension ImageAnswer {
    /// The kind of the answer.
    fileprivate var content: Content {
        switch self {
        case .classes: .classes
        case .objects: .objects
        case .segments: .segments
        case .instances: .instances
        case .poses: .poses
        case .landmarks: .landmarks
        case .embedding: .embeddings
        case .depth: .depth
        case .image: .image
        case .text: .text
        case .parts: .parts
        case .outputs: .outputs
        }
    }
}
