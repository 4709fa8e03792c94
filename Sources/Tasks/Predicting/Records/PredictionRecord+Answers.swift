import Preparation

extension PredictionRecord {
    /// The record with its answer among those of all tasks, as sinks take it.
    public var erased: PredictionRecord<ImageAnswer> {
        map { answer in
            if let answer = answer as? ImageAnswer { return .success(answer) }
            if let answer = answer as? any TaskAnswer { return .success(ImageAnswer(answer)) }
            let message = "an answer of the type \(Answer.self) has no form in rows"
            return .failure(RecordError(stage: "predict", code: "no-row", message: message))
        }
    }

    /// The answer of a type, or the reason why there is none.
    package func required<Other: TaskAnswer>(as type: Other.Type = Other.self) -> Result<Other, RecordError> {
        erased.answer.flatMap { answer in Result { () throws(RecordError) in try answer.required() } }
    }
}

extension PredictionRecord where Answer == ImageAnswer {
    /// The row of numbers that an answer has in an array: scores of classes, a vector, or the one output that is read.
    package var numbers: Result<RowNumbers, RecordError> {
        answer.flatMap { answer in
            if let numbers = answer.base.numberRow { return .success(numbers) }
            return .failure(RecordError(stage: "predict", code: "no-row", message: "the answer is not one row"))
        }
    }
}

extension RowContext {
    /// What the row of a record says beside the answer.
    package init(_ record: PredictionRecord<ImageAnswer>, _ options: RowOptions) {
        self.init(options, files: record.files, timestamp: record.timestamp)
    }
}
