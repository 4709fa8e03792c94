import Images
import Inference
import Models
import Platform
import Predicting
import Preparation

/// A session that takes pictures of one thing, such as a face, and gives its points.
///
///     let detector = try await LandmarkDetector(Model(contentsOf: "face_landmark.tflite"))
///     for point in try await detector.predict(.file("face.jpg")).points { print(point.x, point.y) }
///
/// Every method may be called from any task.
public final class LandmarkDetector: Sendable {
    /// The session that runs the network.
    public var session: Session { network.session }
    /// The names of the classes, when known.
    public var labels: Labels? { network.reading.labels }
    /// The least confidence of what is kept.
    public var minimumConfidence: Float { network.reading.minimumConfidence }
    /// The name of the decoder, as ``Catalog/pointDecoderNames`` lists it.
    public var decoderName: String { network.decoderName }
    /// The names of the points, in the network's order; empty when they have none.
    public var pointNames: [String] { network.reading.schema.names }
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { network.pictures.input.preprocessing }

    package let network: PointNetwork

    /// Starts a detector.
    ///
    /// - Parameters:
    ///   - configuration: Overrides what the model's files and metadata say about its outputs.
    ///   - minimumConfidence: Overrides the least confidence of the configuration.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    ///   - labels: The names of the classes, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no decoder knows its outputs;
    ///   otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), configuration: DetectionConfiguration? = nil,
        minimumConfidence: Float? = nil, preprocessing: Preprocessing? = nil, labels: Labels? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        let model = model.describedByFamily()
        network = try await PointNetwork(
            model, Catalog.landmarkDecoders, options: options, configuration: configuration,
            minimumConfidence: minimumConfidence, preprocessing: preprocessing, labels: labels, decoding: decoding)
    }
}

extension LandmarkDetector: PointPredictor {
    public var core: PredictorCore<LandmarkDetection> { PredictorCore(self) }

    package static let task = VisionTask.landmarks

    package func answer(from groups: [PointGroup], to picture: PreparedPicture) -> LandmarkDetection {
        let (group, schema) = (groups.first ?? PointGroup([], confidence: nil), network.reading.schema)
        return LandmarkDetection(
            group.keypoints(picture.placement, schema), confidence: group.confidence, imageSize: picture.size,
            skeleton: schema.skeleton)
    }
}
