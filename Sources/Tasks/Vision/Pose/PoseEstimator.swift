import Images
import Inference
import Models
import Platform
import Predicting
import Preparation

/// A session that takes pictures and gives the people or hands in them, by their points.
///
///     let estimator = try await PoseEstimator(Model(contentsOf: "yolov8n-pose.onnx"))
///     for pose in try await estimator.predict(.file("street.jpg")).poses {
///         print(pose.confidence, pose["left_wrist"]?.x ?? 0)
///     }
///
/// A network for crops (heat maps, SimCC, MediaPipe's) takes the whole picture as the crop. Every method may be called
/// from any task.
public final class PoseEstimator: Sendable {
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

    /// Starts an estimator.
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
            model, Catalog.poseDecoders, options: options, configuration: configuration,
            minimumConfidence: minimumConfidence, preprocessing: preprocessing, labels: labels, decoding: decoding)
    }
}

extension PoseEstimator: PointPredictor {
    public var core: PredictorCore<PoseEstimation> { PredictorCore(self) }

    package static let task = VisionTask.pose

    package func answer(from groups: [PointGroup], to picture: PreparedPicture) -> PoseEstimation {
        let schema = network.reading.schema
        let poses = groups.compactMap { group -> Pose? in
            let box = group.box?.box(picture.placement)
            guard group.box == nil || box != nil else { return nil }
            let keypoints = group.keypoints(picture.placement, schema)
            let confidences = keypoints.compactMap(\.confidence)
            let mean = confidences.isEmpty ? 1 : confidences.reduce(0, +) / Float(confidences.count)
            return Pose(
                confidence: group.confidence ?? mean, box: box,
                label: group.label
                    ?? group.box.map {
                        ClassificationObservation(
                            index: $0.classIndex, label: labels?[$0.classIndex], confidence: $0.confidence)
                    }, keypoints: keypoints)
        }
        return PoseEstimation(poses, imageSize: picture.size, skeleton: schema.skeleton)
    }
}
