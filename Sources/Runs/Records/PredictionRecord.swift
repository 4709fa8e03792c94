import Datasets
import Images
import Inference
import Platform
import Vision

/// The answer to one record of a dataset.
public struct PredictionRecord: Sendable {
    /// The record's id.
    public package(set) var id: String
    /// The record's position in the list, or in its shard's part of the list, from 0.
    public let position: Int
    /// The record's position in the whole list, from 0.
    var listPosition: Int
    /// The time in a video, or since a live source began; nil for pictures without a time.
    public let timestamp: Duration?
    /// The number of late records of a live source that were dropped directly before this one.
    public internal(set) var droppedBefore = 0
    /// The answer, or the error that prevented it.
    public var answer: Result<ImageAnswer, RecordError>
    /// What is wrong with the picture's file, in one line, although all pixels could be decoded; nil for nothing.
    public internal(set) var warning: String?
    /// The decoded picture, kept for drawing; nil otherwise.
    package var image: Image?
    /// The picture at a small size, kept for pages; nil otherwise.
    package var thumbnail: Image?
    /// The paths of files that were written for the record, within their folders, by their names in rows.
    package var files: [String: String] = [:]
    /// The file of the picture.
    var sourceFile: String?

    /// The classes, or the reason why there are none.
    public var classification: Result<Classification, RecordError> {
        answer.flatMap { answer in
            if case .classes(let classification) = answer { return .success(classification) }
            return .failure(RecordError(stage: "predict", code: "no-classes", message: "the answer is objects"))
        }
    }

    /// The objects, or the reason why there are none.
    public var detection: Result<ObjectDetection, RecordError> {
        answer.flatMap { answer in
            if case .objects(let detection) = answer { return .success(detection) }
            return .failure(RecordError(stage: "predict", code: "no-objects", message: "the answer is classes"))
        }
    }

    /// The outputs of the network, or the reason why there are none.
    public var outputs: Result<NetworkOutputs, RecordError> {
        answer.flatMap { answer in
            if case .outputs(let outputs) = answer { return .success(outputs) }
            return .failure(RecordError(stage: "predict", code: "no-outputs", message: "the answer is not outputs"))
        }
    }

    /// The classes of the picture's pixels, or the reason why there are none.
    public var segmentation: Result<Segmentation, RecordError> {
        answer.flatMap { answer in
            if case .segments(let segmentation) = answer { return .success(segmentation) }
            return .failure(RecordError(stage: "predict", code: "no-segments", message: "the answer is no segments"))
        }
    }

    /// The objects in the picture with their pixels, or the reason why there are none.
    public var instances: Result<InstanceSegmentation, RecordError> {
        answer.flatMap { answer in
            if case .instances(let instances) = answer { return .success(instances) }
            return .failure(RecordError(stage: "predict", code: "no-instances", message: "the answer is no instances"))
        }
    }

    /// The people or hands in the picture, or the reason why there are none.
    public var poses: Result<PoseEstimation, RecordError> {
        answer.flatMap { answer in
            if case .poses(let poses) = answer { return .success(poses) }
            return .failure(RecordError(stage: "predict", code: "no-poses", message: "the answer is no poses"))
        }
    }

    /// The points of what the picture shows, or the reason why there are none.
    public var landmarks: Result<LandmarkDetection, RecordError> {
        answer.flatMap { answer in
            if case .landmarks(let landmarks) = answer { return .success(landmarks) }
            return .failure(RecordError(stage: "predict", code: "no-landmarks", message: "the answer is no landmarks"))
        }
    }

    /// The vector by which the picture is compared, or the reason why there is none.
    public var embedding: Result<ImageEmbedding, RecordError> {
        answer.flatMap { answer in
            if case .embedding(let embedding) = answer { return .success(embedding) }
            return .failure(RecordError(stage: "predict", code: "no-embedding", message: "the answer is no vector"))
        }
    }

    /// The depth of the picture's pixels, or the reason why there is none.
    public var depth: Result<DepthMap, RecordError> {
        answer.flatMap { answer in
            if case .depth(let depth) = answer { return .success(depth) }
            return .failure(RecordError(stage: "predict", code: "no-depth", message: "the answer is no depth"))
        }
    }

    /// The picture that was made, or the reason why there is none.
    public var generatedImage: Result<GeneratedImage, RecordError> {
        answer.flatMap { answer in
            if case .image(let image) = answer { return .success(image) }
            return .failure(RecordError(stage: "predict", code: "no-image", message: "the answer is no picture"))
        }
    }

    /// The lines of text in the picture, or the reason why there are none.
    public var text: Result<RecognizedText, RecordError> {
        answer.flatMap { answer in
            if case .text(let text) = answer { return .success(text) }
            return .failure(RecordError(stage: "predict", code: "no-text", message: "the answer is no text"))
        }
    }

    /// The row of numbers that an answer has in an array: scores of classes, a vector, or the one output that is read.
    package var numbers: Result<[Float], RecordError> {
        answer.flatMap { answer in
            switch answer {
            case .classes(let classes): return .success(classes.scores)
            case .embedding(let embedding): return .success(embedding.vector)
            case .outputs(let outputs) where outputs.outputs.count == 1:
                return .success(outputs.outputs[0].tensor.elements(as: Float.self))
            case .objects, .segments, .instances, .poses, .landmarks, .depth, .image, .text, .parts, .outputs:
                return .failure(RecordError(stage: "predict", code: "no-row", message: "the answer is not one row"))
            }
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
