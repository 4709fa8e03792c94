import Images
import Preparation

/// The answer to one record of a dataset.
public struct PredictionRecord<Answer: Sendable>: Sendable {
    /// The record's id.
    public package(set) var id: String
    /// The record's position in the list, or in its shard's part of the list, from 0.
    public let position: Int
    /// The record's position in the whole list, from 0.
    package var listPosition: Int
    /// The time in a video, or since a live source began; nil for pictures without a time.
    public let timestamp: Duration?
    /// The number of late records of a live source that were dropped directly before this one.
    public package(set) var droppedBefore = 0
    /// The answer, or the error that prevented it.
    public var answer: Result<Answer, RecordError>
    /// What is wrong with the picture's file, in one line, although all pixels could be decoded; nil for nothing.
    public package(set) var warning: String?
    /// The decoded picture, kept for drawing; nil otherwise.
    package var image: Image?
    /// The picture at a small size, kept for pages; nil otherwise.
    package var thumbnail: Image?
    /// The paths of files that were written for the record, within their folders, by their names in rows.
    package var files: [String: String] = [:]
    /// The file of the picture.
    package var sourceFile: String?

    package init(
        id: String, position: Int = 0, timestamp: Duration? = nil, answer: Result<Answer, RecordError>
    ) {
        self.id = id
        self.position = position
        listPosition = position
        self.timestamp = timestamp
        self.answer = answer
    }

    /// The record with another form of its answer.
    package func map<Other>(
        _ transform: (Answer) -> Result<Other, RecordError>
    ) -> PredictionRecord<Other> {
        var record = PredictionRecord<Other>(
            id: id, position: position, timestamp: timestamp, answer: answer.flatMap(transform))
        (record.listPosition, record.droppedBefore, record.warning) = (listPosition, droppedBefore, warning)
        (record.image, record.thumbnail, record.files, record.sourceFile) = (image, thumbnail, files, sourceFile)
        return record
    }
}

extension PredictionRecord where Answer == ImageAnswer {
    package init(id: String, position: Int = 0, result: Result<some TaskAnswer, RecordError>) {
        self.init(id: id, position: position, answer: result.map { ImageAnswer($0) })
    }
}
