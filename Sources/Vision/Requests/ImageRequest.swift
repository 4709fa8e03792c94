import Images
import Inference
import Platform
import Tensors

/// How a picture of other proportions is brought to a network's size.
public enum CropAndScale: Sendable, CaseIterable {
    /// Cover the size, then cut from the middle: what lies at the longer sides is not seen.
    case centerCrop
    /// The whole picture with its proportions, and a border.
    case scaleFit
    /// The whole picture, stretched.
    case scaleFill

    package var mode: Preprocessing.ResizeMode {
        switch self {
        case .centerCrop: .centerCrop
        case .scaleFit: .fit
        case .scaleFill: .fill
        }
    }
}

/// Something to find out about a picture. An ``ImageRequestHandler`` performs it.
public protocol ImageRequest: Sendable {
    /// What is found out.
    associatedtype Answer: Sendable

    /// Finds it out.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    func perform(on handler: ImageRequestHandler) async throws -> Answer
}

/// Asks for the classes of a picture, those with the most confidence first.
///
///     var request = ClassifyImageRequest(classifier)
///     request.minimumConfidence = 0.2
///     for observation in try await handler.perform(request) { print(observation.identifier, observation.confidence) }
public struct ClassifyImageRequest: ImageRequest {
    /// What classifies.
    public let classifier: Classifier
    /// How the picture is brought to the network's size; nil for what the model's preprocessing says.
    public var cropAndScale: CropAndScale?
    /// Classes with less confidence are left out.
    public var minimumConfidence: Float = 0
    /// How many classes at most.
    public var top = 5

    /// Makes a request.
    public init(_ classifier: Classifier) { self.classifier = classifier }

    public func perform(on handler: ImageRequestHandler) async throws -> [ClassificationObservation] {
        let picture = try await handler.prepared(for: classifier.pictures.input, cropAndScale)
        let answer = try await classifier.classify([picture])[0]
        return answer.top(top, minimumConfidence: minimumConfidence).map { prediction in
            ClassificationObservation(
                index: prediction.index, label: prediction.label, confidence: prediction.confidence)
        }
    }
}

/// Asks for the objects in a picture, those with the most confidence first; their boxes are those of the whole upright
/// picture, however it was cropped and scaled.
public struct RecognizeObjectsRequest: ImageRequest {
    /// What finds objects.
    public let detector: ObjectDetector
    /// How the picture is brought to the network's size; nil for what the model's preprocessing says.
    public var cropAndScale: CropAndScale?
    /// Objects with less confidence are left out, beside those that the detector's own configuration leaves out.
    public var minimumConfidence: Float = 0
    /// How many objects at most.
    public var top = Int.max

    /// Makes a request.
    public init(_ detector: ObjectDetector) { self.detector = detector }

    public func perform(on handler: ImageRequestHandler) async throws -> [RecognizedObject] {
        let picture = try await handler.prepared(for: detector.pictures.input, cropAndScale)
        let objects = try await detector.detect([picture])[0].get().objects
        return Array(objects.filter { $0.confidence >= minimumConfidence }.prefix(max(0, top)))
    }
}

/// Asks for the outputs of a network as they are, by name.
public struct ProduceFeaturesRequest: ImageRequest {
    /// What runs the network.
    public let session: Session
    /// How the picture is brought to the network's size; nil for what the model's preprocessing says.
    public var cropAndScale: CropAndScale?
    private let input: ImageInput

    /// Makes a request.
    ///
    /// - Parameter preprocessing: Overrides the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture.
    public init(_ session: Session, preprocessing: Preprocessing? = nil) throws(ApusError) {
        self.session = session
        input = try ImageInput(session.model, preprocessing: preprocessing)
    }

    public func perform(on handler: ImageRequestHandler) async throws -> [String: Tensor] {
        let picture = try await handler.prepared(for: input, cropAndScale)
        return try await session.predict([input.name: picture.tensor])
    }
}
