import Images
import Inference
import Platform
import Tensors

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
    public let session: Session
    /// The names of the classes, when known.
    public let labels: Labels?
    /// The least confidence of what is kept.
    public var minimumConfidence: Float { reading.minimumConfidence }
    /// The name of the decoder, as ``Catalog/pointDecoderNames`` lists it.
    public var decoderName: String { type(of: reading.decoder).name.rawValue }
    /// The names of the points, in the network's order; empty when they have none.
    public var pointNames: [String] { reading.schema.names }
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs
    private let reading: PointReading

    /// Starts an estimator.
    ///
    /// - Parameters:
    ///   - configuration: Overrides what the model's files and metadata say about its outputs.
    ///   - minimumConfidence: Overrides the least confidence of the configuration.
    ///   - preprocessing: Overrides the model's own.
    ///   - labels: Override the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no decoder knows its outputs;
    ///   otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), configuration: DetectionConfiguration? = nil,
        minimumConfidence: Float? = nil, preprocessing: Preprocessing? = nil, labels: Labels? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        let decoders = Catalog.poseDecoders
        let customary = try PointReading.preprocessing(of: model, decoders, configuration)
        let input = try ImageInput(model, preprocessing: preprocessing ?? customary)
        reading = try PointReading(model, decoders, configuration, labels: labels, confidence: minimumConfidence)
        self.labels = reading.labels
        outputs = PictureOutputs(model)
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The people or hands in one picture.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    public func predict(_ source: ImageSource) async throws -> PoseEstimation {
        guard case .poses(let found) = try await answer(to: source) else { throw ApusError.bug("no points") }
        return found
    }
}

extension PoseEstimator: PictureReader {
    package var content: ImageAnswer.Content { .poses }
    package var rowShape: [Int]? { nil }

    package var settings: [String: String] {
        reading.settings.merging(["task": VisionTask.pose.rawValue], uniquingKeysWith: { first, _ in first })
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> ImageAnswer {
        let groups = try reading.groups(
            in: try outputs.dequantized(rows), inputSize: pictures.input.extent(of: picture.tensor))
        let poses = groups.compactMap { group -> Pose? in
            let box = group.box?.box(picture.placement)
            guard group.box == nil || box != nil else { return nil }
            let keypoints = group.keypoints(picture.placement, reading.schema)
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
        return .poses(PoseEstimation(poses, imageSize: picture.size, skeleton: reading.schema.skeleton))
    }
}
