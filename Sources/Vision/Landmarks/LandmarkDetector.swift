import Images
import Inference
import Platform
import Tensors

/// A session that takes pictures of one thing, such as a face, and gives its points.
///
///     let detector = try await LandmarkDetector(Model(contentsOf: "face_landmark.tflite"))
///     for point in try await detector.predict(.file("face.jpg")).points { print(point.x, point.y) }
///
/// Every method may be called from any task.
public final class LandmarkDetector: Sendable {
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

    /// Starts a detector.
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
        let decoders = Catalog.landmarkDecoders
        let customary = try PointReading.preprocessing(of: model, decoders, configuration)
        let input = try ImageInput(model, preprocessing: preprocessing ?? customary)
        reading = try PointReading(model, decoders, configuration, labels: labels, confidence: minimumConfidence)
        self.labels = reading.labels
        outputs = PictureOutputs(model)
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The points in one picture.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    public func predict(_ source: ImageSource) async throws -> LandmarkDetection {
        guard case .landmarks(let found) = try await answer(to: source) else { throw ApusError.bug("no points") }
        return found
    }
}

extension LandmarkDetector: PictureReader {
    package var content: ImageAnswer.Content { .landmarks }
    package var rowShape: [Int]? { nil }

    package var settings: [String: String] {
        reading.settings.merging(["task": VisionTask.landmarks.rawValue], uniquingKeysWith: { first, _ in first })
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> ImageAnswer {
        let groups = try reading.groups(
            in: try outputs.dequantized(rows), inputSize: pictures.input.extent(of: picture.tensor))
        let group = groups.first ?? PointGroup([], confidence: nil)
        return .landmarks(
            LandmarkDetection(
                group.keypoints(picture.placement, reading.schema), confidence: group.confidence,
                imageSize: picture.size, skeleton: reading.schema.skeleton))
    }
}
