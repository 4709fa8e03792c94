import Images
import Vision

extension ImageAnswer {
    /// The answer as rows have it.
    var row: any RowAnswer {
        switch self {
        case .classes(let answer): answer
        case .objects(let answer): answer
        case .segments(let answer): answer
        case .instances(let answer): answer
        case .poses(let answer): answer
        case .landmarks(let answer): answer
        case .embedding(let answer): answer
        case .depth(let answer): answer
        case .image(let answer): answer
        case .text(let answer): answer
        case .parts(let answer): answer
        case .outputs(let answer): answer
        }
    }

    /// The size of the upright picture in pixels, where the answer knows it.
    package var imageSize: ImageSize? { row.pictureSize }

    /// The answer in a few words.
    package var summary: String { row.summary }
}

extension ImageAnswer.Content {
    /// What rows have for answers of this kind.
    var row: any RowAnswer.Type {
        switch self {
        case .classes: Classification.self
        case .objects: ObjectDetection.self
        case .segments: Segmentation.self
        case .instances: InstanceSegmentation.self
        case .poses: PoseEstimation.self
        case .landmarks: LandmarkDetection.self
        case .embeddings: ImageEmbedding.self
        case .depth: DepthMap.self
        case .image: GeneratedImage.self
        case .text: RecognizedText.self
        case .parts: PictureParts.self
        case .outputs: NetworkOutputs.self
        }
    }
}
