import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives the class of every pixel, or the foreground's share in it.
///
///     let segmenter = try await Segmenter(Model(contentsOf: "deeplabv3.onnx"))
///     for segment in try await segmenter.predict(.file("street.jpg")).segments {
///         print(segment.identifier, segment.area)
///     }
///
/// Scores are brought to the size of the picture before the best class is taken, with `align_corners=False`, as
/// torchvision and Hugging Face do. A network with one map gives a matte. Every method may be called from any task.
public final class Segmenter: Sendable {
    /// The options of a segmenter.
    public struct Options: Sendable {
        /// The output that is read; nil for the first that has maps.
        public var output: String?
        /// The least share of the foreground in a pixel that belongs to it, from 0 to 1, for networks with one map.
        public var threshold: Float

        /// Makes options.
        public init(output: String? = nil, threshold: Float = 0.5) {
            (self.output, self.threshold) = (output, threshold)
        }
    }

    /// The session that runs the network.
    public let session: Session
    /// The names of the classes, when known.
    public let labels: Labels?
    /// The options.
    public let options: Options
    /// The name of the output that is read.
    public let outputName: String
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs
    let scores: MapScores

    /// Starts a segmenter.
    ///
    /// - Parameters:
    ///   - segmentation: The output to read, and the threshold of mattes.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    ///   - labels: The names of the classes, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no output has maps; otherwise
    ///   as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), segmentation: Options = Options(),
        preprocessing: Preprocessing? = nil, labels: Labels? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        let customary = try Self.customaryPreprocessing(of: model)
        let steps = preprocessing ?? customary
        let input = try ImageInput(model, preprocessing: steps)
        let name = if let given = segmentation.output { given } else { try MapScores.output(of: model, input.layout) }
        model = try model.giving(name)
        outputs = PictureOutputs(model)
        scores = try MapScores(model, input.layout, outputs.outputs.first)
        self.options = segmentation
        self.labels = labels ?? model.labels
        try scores.check(self.labels, of: model, outputs.outputs.first)
        outputName = name
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The steps of the model, without a center crop that its format assumes: pixels at the edges have classes too. A
    /// model with metadata of TensorFlow Lite, which say nothing of it, gets pictures as MediaPipe gives them. Nil
    /// where the model gives no steps.
    package static func customaryPreprocessing(of model: Model) throws(ApusError) -> Preprocessing? {
        guard var steps = model.preprocessing else { return nil }
        let size = try ImageInput(model, preprocessing: nil).size
        if model.origins.preprocessing == .model, steps.crop != nil, let size { steps.setResizing(.fill, to: size) }
        if model.origins.preprocessing == .metadata("TFLITE_METADATA"), let size {
            steps.setResizing(.fit, to: size, color: .black, letterbox: .mediapipeFill)
            steps.filter = .linear
        }
        return steps
    }
}

extension Segmenter: PictureReader {
    public var core: PredictorCore<Segmentation> { PredictorCore(self) }

    package var rowShape: [Int]? { nil }

    package var settings: [String: String] {
        ["task": VisionTask.segment.rawValue, "output": outputName, "threshold": "\(options.threshold)"]
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> Segmentation {
        let size = picture.size ?? pictures.input.extent(of: picture.tensor)
        return try scores.segmentation(
            of: outputs.first(of: rows), size: size, placement: picture.placement, threshold: options.threshold,
            labels: labels)
    }
}
