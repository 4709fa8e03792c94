import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session whose outputs are read as points: what ``PoseEstimator`` and ``LandmarkDetector`` have in common.
package struct PointNetwork: Sendable {
    let session: Session
    let pictures: PicturePreparation
    let outputs: PictureOutputs
    let reading: PointReading

    /// Starts a session.
    ///
    /// - Parameter decoders: The decoders of the task, in the order in which they are tried.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no decoder knows its outputs;
    ///   otherwise as ``Session/init(_:options:)``.
    init(
        _ model: Model, _ decoders: [any PointDecoder.Type], options: Session.Options,
        configuration: DetectionConfiguration?, minimumConfidence: Float?, preprocessing: Preprocessing?,
        labels: Labels?, decoding: Image.DecodingOptions
    ) async throws(ApusError) {
        let customary = try PointReading.preprocessing(of: model, decoders, configuration)
        let input = try ImageInput(model, preprocessing: preprocessing ?? customary)
        reading = try PointReading(model, decoders, configuration, labels: labels, confidence: minimumConfidence)
        outputs = PictureOutputs(model)
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The name of the decoder.
    var decoderName: String { type(of: reading.decoder).name.rawValue }
}

/// A predictor of points.
package protocol PointPredictor: PictureReader {
    /// The task whose answers it gives.
    static var task: VisionTask { get }
    /// The session, and how its outputs are read.
    var network: PointNetwork { get }

    /// The answer from the points of the things in one picture.
    func answer(from groups: [PointGroup], to picture: PreparedPicture) -> Answer
}

extension PointPredictor {
    package var pictures: PicturePreparation { network.pictures }
    package var outputs: PictureOutputs { network.outputs }
    package var rowShape: [Int]? { nil }

    package var settings: [String: String] {
        network.reading.settings.merging(["task": Self.task.rawValue], uniquingKeysWith: { first, _ in first })
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> Answer {
        let groups = try network.reading.groups(
            in: try outputs.dequantized(rows), inputSize: pictures.input.extent(of: picture.tensor))
        return answer(from: groups, to: picture)
    }
}
