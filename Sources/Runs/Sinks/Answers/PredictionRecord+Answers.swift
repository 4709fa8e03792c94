import Preparation
import Vision

extension PredictionRecord {
    /// The classes, or the reason why there are none.
    public var classification: Result<Classification, RecordError> { row() }

    /// The objects, or the reason why there are none.
    public var detection: Result<ObjectDetection, RecordError> { row() }

    /// The outputs of the network, or the reason why there are none.
    public var outputs: Result<NetworkOutputs, RecordError> { row() }

    /// The classes of the picture's pixels, or the reason why there are none.
    public var segmentation: Result<Segmentation, RecordError> { row() }

    /// The objects in the picture with their pixels, or the reason why there are none.
    public var instances: Result<InstanceSegmentation, RecordError> { row() }

    /// The people or hands in the picture, or the reason why there are none.
    public var poses: Result<PoseEstimation, RecordError> { row() }

    /// The points of what the picture shows, or the reason why there are none.
    public var landmarks: Result<LandmarkDetection, RecordError> { row() }

    /// The vector by which the picture is compared, or the reason why there is none.
    public var embedding: Result<ImageEmbedding, RecordError> { row() }

    /// The depth of the picture's pixels, or the reason why there is none.
    public var depth: Result<DepthMap, RecordError> { row() }

    /// The picture that was made, or the reason why there is none.
    public var generatedImage: Result<GeneratedImage, RecordError> { row() }

    /// The lines of text in the picture, or the reason why there are none.
    public var text: Result<RecognizedText, RecordError> { row() }

    /// The row of numbers that an answer has in an array: scores of classes, a vector, or the one output that is read.
    var numbers: Result<RowNumbers, RecordError> {
        answer.flatMap { answer in
            if let numbers = answer.row.numberRow { return .success(numbers) }
            return .failure(RecordError(stage: "predict", code: "no-row", message: "the answer is not one row"))
        }
    }

    /// The answer of one kind, or the reason why there is none.
    func row<Answer: RowAnswer>(as type: Answer.Type = Answer.self) -> Result<Answer, RecordError> {
        answer.flatMap { answer in
            let row = answer.row
            if let row = row as? Answer { return .success(row) }
            let message = "the answer is of the kind \"\(Swift.type(of: row).name)\", not \"\(type.name)\""
            return .failure(RecordError(stage: "predict", code: "no-\(type.name)", message: message))
        }
    }
}
