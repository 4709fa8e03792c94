import Apus
import CApus
import Synchronization

/// The answer to one picture, or why there is none.
final class AnswerObject: HandleObject {
    static let kind = "answer"

    private let record: PredictionRecord<ImageAnswer>
    private let options: SinkKind.RowOptions
    /// What callers were given; made when they first ask.
    private let items = Mutex<AnswerItems?>(nil)
    private let tensors = Mutex<AnswerTensors?>(nil)
    private let madeParts = Mutex<AnswerParts?>(nil)

    init(_ record: PredictionRecord<ImageAnswer>, _ options: SinkKind.RowOptions) {
        self.record = record
        self.options = options
    }

    /// Gives out answers.
    static func give(
        _ answers: [AnswerObject], to places: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(InterfaceError) {
        guard !answers.isEmpty else { return }
        let places = try required(places, "answers")
        for (index, answer) in answers.enumerated() { places[index] = try HandleTable.shared.add(answer) }
    }

    /// - Throws: ``RecordError`` when there is no answer.
    func check() throws { _ = try record.answer.get() }

    /// The answer; nil when there is none.
    var answer: ImageAnswer? { try? record.answer.get() }

    /// The kind of the answer, or of answers of the predictor where there is none.
    var content: ImageAnswer.Content { options.content }

    /// The row of the answer.
    func json(id: String) -> String {
        var record = record
        record.id = id
        return record.jsonText(options)
    }

    /// The row of the answer, with the id of its record.
    var json: String { record.jsonText(options) }

    /// Calls `body` with the items.
    func withItems<Result, Failure: Error>(
        _ body: (AnswerItems) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let items = items.withLock { items in
            let made = items ?? AnswerItems(answer, options)
            items = made
            return made
        }
        return try body(items)
    }

    /// What a recipe says about the items.
    func parts() -> AnswerParts {
        madeParts.withLock { parts in
            let made = parts ?? AnswerParts(answer, options)
            parts = made
            return made
        }
    }

    /// The tensors of the answer.
    ///
    /// - Throws: `TensorError`, ``InterfaceError``.
    func namedTensors() throws -> AnswerTensors {
        try tensors.withLock { tensors in
            let made = try tensors ?? AnswerTensors(answer)
            tensors = made
            return made
        }
    }
}
