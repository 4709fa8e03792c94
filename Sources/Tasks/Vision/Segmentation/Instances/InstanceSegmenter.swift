import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives the objects in them with their pixels.
///
///     let segmenter = try await InstanceSegmenter(Model(contentsOf: "yolov8n-seg.onnx"))
///     for instance in try await segmenter.predict(.file("street.jpg")).instances {
///         print(instance.identifier, instance.confidence, instance.area)
///     }
///
/// Masks have the size of the picture. Every method may be called from any task.
public final class InstanceSegmenter: Sendable {
    /// The session that runs the network.
    public let session: Session
    /// The names of the classes, when known.
    public let labels: Labels?
    /// How outputs become objects.
    public let configuration: DetectionConfiguration
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs
    private let decoder: any InstanceDecoder

    /// Starts a segmenter.
    ///
    /// - Parameters:
    ///   - configuration: Overrides what the model's files and metadata say about its outputs.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    ///   - labels: The names of the classes, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no decoder knows its outputs;
    ///   otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), configuration: DetectionConfiguration? = nil,
        preprocessing: Preprocessing? = nil, labels: Labels? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        let model = model.describedByFamily()
        let configuration = configuration ?? model.decoding ?? DetectionConfiguration()
        let customary = try Self.customaryPreprocessing(of: model, configuration)
        let input = try ImageInput(model, preprocessing: preprocessing ?? customary)
        let signature = DetectorSignature(model, inputSize: input.size)
        guard let type = Catalog.instanceDecoders.first(where: { $0.recognizes(signature) }) else {
            throw .usage("\(model.name): no decoder of objects with masks knows the outputs")
        }
        decoder = try type.init(signature, configuration)
        self.configuration = configuration
        self.labels = labels ?? configuration.labels ?? model.labels
        if let count = decoder.classCount {
            try self.labels?.check(classCount: count, model: model.name, origin: model.origin(of: self.labels))
        }
        outputs = PictureOutputs(model)
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// Whether a decoder knows the outputs of a model.
    package static func canRead(_ model: Model) -> Bool { decoderName(of: model) != nil }

    /// The name of the decoder that knows the outputs of a model; nil when none does.
    package static func decoderName(of model: Model) -> String? {
        do {
            let size = try inputSize(of: model, model.decoding ?? DetectionConfiguration())
            let signature = DetectorSignature(model, inputSize: size)
            return Catalog.instanceDecoders.first { $0.recognizes(signature) }?.name
        } catch {
            return nil
        }
    }

    /// The steps that the model's files give, or else the usual ones of the decoder's family.
    package static func customaryPreprocessing(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> Preprocessing? {
        guard model.preprocessing == nil, let size = try inputSize(of: model, configuration) else {
            return model.preprocessing
        }
        let signature = DetectorSignature(model, inputSize: size)
        let decoder = Catalog.instanceDecoders.first { $0.recognizes(signature) }
        return decoder?.customaryPreprocessing(to: size)
    }

    private static func inputSize(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> ImageSize? {
        try ImageInput(model, preprocessing: nil).size ?? configuration.inputSize
    }
}

extension InstanceSegmenter: PictureReader {
    public var core: PredictorCore<InstanceSegmentation> { PredictorCore(self) }

    package var categoryIDs: [Int]? { configuration.categoryIDs }
    package var rowShape: [Int]? { nil }

    package var settings: [String: String] {
        let suppression = configuration.suppression
        return [
            "task": VisionTask.segment.rawValue, "decoder": type(of: decoder).name,
            "min-confidence": "\(configuration.minimumConfidence)",
            "suppression": "\(suppression.threshold), \(suppression.maximumCount)"
                + (suppression.isClassAgnostic ? ", class-agnostic" : ""),
        ]
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> InstanceSegmentation {
        let inputSize = pictures.input.extent(of: picture.tensor)
        let question = InstanceQuestion(
            inputSize: inputSize, imageSize: picture.size ?? inputSize, placement: picture.placement,
            confidence: configuration.minimumConfidence, suppression: configuration.suppression)
        let found = try decoder.instances(in: try outputs.dequantized(rows), question)
        let instances = found.compactMap { candidate, runs -> Instance? in
            guard let box = candidate.box(picture.placement) else { return nil }
            return Instance(
                label: ClassificationObservation(
                    index: candidate.classIndex, label: labels?[candidate.classIndex],
                    confidence: min(candidate.confidence, 1)), box: box, runs: runs)
        }
        return InstanceSegmentation(instances, imageSize: question.imageSize)
    }
}
