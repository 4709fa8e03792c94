import Images
import Inference
import Platform
import Preparation
import Tensors

/// The ways of bringing a picture of other proportions to a network's size.
public enum CropAndScale: Sendable, CaseIterable {
    /// The picture covers the size and is cropped at the center; the ends of its longer side are lost.
    case centerCrop
    /// The whole picture keeps its proportions and gets a border.
    case scaleFit
    /// The whole picture is stretched.
    case scaleFill

    package var mode: Preprocessing.ResizeMode {
        switch self {
        case .centerCrop: .centerCrop
        case .scaleFit: .fit
        case .scaleFill: .fill
        }
    }
}

/// A question about a picture. An ``ImageRequestHandler`` performs it.
public protocol ImageRequest: Sendable {
    /// The type of the answer.
    associatedtype Answer: Sendable

    /// Answers the question for the picture of a handler.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    func perform(on handler: ImageRequestHandler) async throws -> Answer
}

/// A request for the classes of a picture, those with the most confidence first.
///
///     var request = ClassifyImageRequest(classifier)
///     request.minimumConfidence = 0.2
///     for observation in try await handler.perform(request) { print(observation.identifier, observation.confidence) }
public struct ClassifyImageRequest: ImageRequest {
    /// The classifier.
    public let classifier: Classifier
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?
    /// Classes with less confidence are left out.
    public var minimumConfidence: Float = 0
    /// The maximum number of classes.
    public var top = 5

    /// Makes a request.
    public init(_ classifier: Classifier) { self.classifier = classifier }

    public func perform(on handler: ImageRequestHandler) async throws -> [ClassificationObservation] {
        let picture = try await handler.prepared(for: classifier.pictures.input, cropAndScale)
        let answer = try await classifier.classify([picture])[0].get()
        return answer.top(top, minimumConfidence: minimumConfidence).map { prediction in
            ClassificationObservation(
                index: prediction.index, label: prediction.label, confidence: prediction.confidence)
        }
    }
}

/// A request for the objects in a picture, those with the most confidence first. Boxes refer to the whole upright
/// picture, however it was cropped and scaled.
public struct RecognizeObjectsRequest: ImageRequest {
    /// The detector.
    public let detector: ObjectDetector
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?
    /// Objects with less confidence are left out; so are those that the detector's configuration leaves out.
    public var minimumConfidence: Float = 0
    /// The maximum number of objects.
    public var top = Int.max

    /// Makes a request.
    public init(_ detector: ObjectDetector) { self.detector = detector }

    public func perform(on handler: ImageRequestHandler) async throws -> [RecognizedObject] {
        let picture = try await handler.prepared(for: detector.pictures.input, cropAndScale)
        let objects = try await detector.detect([picture])[0].get().objects
        return Array(objects.filter { $0.confidence >= minimumConfidence }.prefix(max(0, top)))
    }
}

/// A request for the outputs of a network as they are, by name and without the axis of the batch, as ``OutputReader``
/// gives them.
public struct ProduceFeaturesRequest: ImageRequest {
    /// The session that runs the network.
    public let session: Session
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?
    private let input: ImageInput
    private let outputs: PictureOutputs

    /// Makes a request.
    ///
    /// - Parameter preprocessing: Overrides the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture.
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
