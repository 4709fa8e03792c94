import Datasets
import Images
import Inference
import Platform
import Vision

/// The answer to one record of a dataset.
public struct PredictionRecord: Sendable {
    /// The record's id.
    public let id: String
    /// The record's place in its list, or in its shard's part of it, from 0.
    public let position: Int
    /// The record's place in the whole list, from 0.
    var listPosition: Int
    /// When the picture belongs to, in a video or since a live source began; nil for pictures that have no time.
    public let timestamp: Duration?
    /// How many records of a live source were dropped between the record before and this one, since they were late.
    public internal(set) var droppedBefore = 0
    /// What was found, or why there is nothing.
    public var answer: Result<ImageAnswer, RecordError>
    /// The picture, where it is wanted again.
    package var image: Image?
    /// The file of that picture.
    var sourceFile: String?

    /// The classes, or why there are none.
    public var classification: Result<Classification, RecordError> {
        answer.flatMap { answer in
            if case .classes(let classification) = answer { return .success(classification) }
            return .failure(RecordError(stage: "predict", code: "no-classes", message: "the answer is objects"))
        }
    }

    /// The objects, or why there are none.
    public var detection: Result<ObjectDetection, RecordError> {
        answer.flatMap { answer in
            if case .objects(let detection) = answer { return .success(detection) }
            return .failure(RecordError(stage: "predict", code: "no-objects", message: "the answer is classes"))
        }
    }

    package init(id: String, position: Int = 0, result: Result<Classification, RecordError>) {
        self.init(id: id, position: position, timestamp: nil, answer: result.map(ImageAnswer.classes))
    }

    package init(
        id: String, position: Int = 0, timestamp: Duration? = nil, answer: Result<ImageAnswer, RecordError>
    ) {
        self.id = id
        self.position = position
        listPosition = position
        self.timestamp = timestamp
        self.answer = answer
    }
}
