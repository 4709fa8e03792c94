import Graphs
import Images
import Inference
import Platform
import Predicting
import Preparation
import Tensors

// Names of the previous version, which the next version removes.

@available(*, deprecated, renamed: "PredictionRequest")
public typealias DetectFaceLandmarksRequest = PredictionRequest<LandmarkDetector>

@available(*, deprecated, renamed: "PredictionRequest")
public typealias EstimateDepthRequest = PredictionRequest<DepthEstimator>

@available(*, deprecated, renamed: "PredictionRequest")
public typealias GenerateImageFeaturePrintRequest = PredictionRequest<Embedder>

@available(*, deprecated, renamed: "PredictionRequest")
public typealias GenerateImageRequest = PredictionRequest<ImageGenerator>

@available(*, deprecated, renamed: "PredictionRequest")
public typealias SegmentImageRequest = PredictionRequest<Segmenter>

@available(*, deprecated, message: "use PredictionRequest, whose answer has the classes")
public struct ClassifyImageRequest: ImageRequest {
    public let classifier: Classifier
    public var cropAndScale: CropAndScale?
    public var minimumConfidence: Float = 0
    public var top = 5

    public init(_ classifier: Classifier) { self.classifier = classifier }

    public func perform(on handler: ImageRequestHandler) async throws -> [ClassificationObservation] {
        let answer = try await handler.perform(PredictionRequest(classifier, cropAndScale: cropAndScale))
        return answer.top(top, minimumConfidence: minimumConfidence)
    }
}

@available(*, deprecated, message: "use PredictionRequest, whose answer has the objects")
public struct RecognizeObjectsRequest: ImageRequest {
    public let detector: ObjectDetector
    public var cropAndScale: CropAndScale?
    public var minimumConfidence: Float = 0
    public var top = Int.max

    public init(_ detector: ObjectDetector) { self.detector = detector }

    public func perform(on handler: ImageRequestHandler) async throws -> [RecognizedObject] {
        let answer = try await handler.perform(PredictionRequest(detector, cropAndScale: cropAndScale))
        return Array(answer.objects.filter { $0.confidence >= minimumConfidence }.prefix(max(0, top)))
    }
}

@available(*, deprecated, message: "use PredictionRequest, whose answer has the poses")
public struct DetectHumanBodyPoseRequest: ImageRequest {
    public let estimator: PoseEstimator
    public var cropAndScale: CropAndScale?

    public init(_ estimator: PoseEstimator) { self.estimator = estimator }

    public func perform(on handler: ImageRequestHandler) async throws -> [Pose] {
        let answer = try await handler.perform(PredictionRequest(estimator, cropAndScale: cropAndScale))
        return answer.poses
    }
}

@available(*, deprecated, message: "use PredictionRequest, whose answer has the poses")
public struct DetectHumanHandPoseRequest: ImageRequest {
    public let estimator: PoseEstimator
    public var cropAndScale: CropAndScale?

    public init(_ estimator: PoseEstimator) { self.estimator = estimator }

    public func perform(on handler: ImageRequestHandler) async throws -> [Pose] {
        let answer = try await handler.perform(PredictionRequest(estimator, cropAndScale: cropAndScale))
        return answer.poses
    }
}

@available(*, deprecated, message: "use PredictionRequest, whose answer has the instances")
public struct SegmentInstancesRequest: ImageRequest {
    public let segmenter: InstanceSegmenter
    public var cropAndScale: CropAndScale?

    public init(_ segmenter: InstanceSegmenter) { self.segmenter = segmenter }

    public func perform(on handler: ImageRequestHandler) async throws -> [Instance] {
        let answer = try await handler.perform(PredictionRequest(segmenter, cropAndScale: cropAndScale))
        return answer.instances
    }
}

@available(*, deprecated, message: "use PredictionRequest, whose answer has the lines")
public struct RecognizeTextRequest: ImageRequest {
    public let recognizer: TextRecognizer
    public var minimumConfidence: Float = 0

    public init(_ recognizer: TextRecognizer) { self.recognizer = recognizer }

    public func perform(on handler: ImageRequestHandler) async throws -> RecognizedText {
        let answer = try await handler.perform(PredictionRequest(recognizer))
        return RecognizedText(
            answer.lines.filter { $0.confidence >= minimumConfidence }, imageSize: answer.imageSize)
    }
}

@available(*, deprecated, message: "use PredictionRequest of an OutputReader")
public struct ProduceFeaturesRequest: ImageRequest {
    public let session: Session
    public var cropAndScale: CropAndScale?
    private let input: ImageInput
    private let outputs: PictureOutputs

    public init(_ session: Session, preprocessing: Preprocessing? = nil) throws(ApusError) {
        self.session = session
        input = try ImageInput(session.model, preprocessing: preprocessing)
        outputs = PictureOutputs(session.model)
    }

    public func perform(on handler: ImageRequestHandler) async throws -> [String: Tensor] {
        let picture = try await handler.prepared(for: input, cropAndScale)
        let result = try await session.predict([input.name: picture.tensor])
        let rows = try outputs.rows(of: [result], count: 1)
        return Dictionary(zip(outputs.outputs.map(\.name), rows.first ?? []), uniquingKeysWith: { first, _ in first })
    }
}
