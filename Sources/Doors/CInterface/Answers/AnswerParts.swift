import Apus

/// What the stages of a recipe behind the first say about the items of an answer, in the order of the items.
final class AnswerParts: Sendable {
    /// The answers of each item with the names of their stages.
    let parts: [[(stage: CString, answer: AnswerObject)]]

    init(_ answer: ImageAnswer?, _ options: SinkKind.RowOptions) {
        guard let answer = answer?.parts else {
            parts = []
            return
        }
        parts = answer.parts.map { part in
            part.answers.map { stage, answer in
                var options = options
                options.content = answer.content
                let record = PredictionRecord<ImageAnswer>(id: "", position: 0, answer: .success(answer))
                return (CString(stage), AnswerObject(record, options))
            }
        }
    }
}
