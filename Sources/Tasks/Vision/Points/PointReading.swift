import Images
import Models
import Platform
import Preparation
import Tensors

/// The metadata of formats that give the numbers of pixels.
private enum SourceOfNumbers {
    static let tflite = "TFLITE_METADATA"
}

/// How the outputs of a network become points in pictures: what ``PoseEstimator`` and ``LandmarkDetector`` share.
struct PointReading: Sendable {
    let decoder: any PointDecoder
    let configuration: DetectionConfiguration
    let labels: Labels?
    let minimumConfidence: Float
    let schema: PointSchema

    /// - Parameters:
    ///   - decoders: The decoders of the task, in the order in which they are tried.
    ///   - confidence: Overrides the least confidence of the model's files and the decoder.
    /// - Throws: ``ApusError/usage(_:)`` when no decoder reads the outputs.
    init(
        _ model: Model, _ decoders: [any PointDecoder.Type], _ configuration: DetectionConfiguration?,
        labels: Labels?, confidence: Float?
    ) throws(ApusError) {
        var configuration = configuration ?? model.decoding ?? DetectionConfiguration()
        let labels = labels ?? configuration.labels ?? model.labels
        configuration.labels = labels
        let size = try Self.inputSize(of: model, configuration)
        let signature = DetectorSignature(model, inputSize: size)
        decoder = try Self.decoder(decoders, for: signature, configuration.decoder).init(signature, configuration)
        minimumConfidence = confidence ?? configuration.givenConfidence ?? type(of: decoder).customaryConfidence
        var schema = decoder.schema
        if let names = configuration.keypointNames {
            if names != schema.names { schema.skeleton = [] }
            schema.names = names
        }
        schema.skeleton = configuration.skeleton ?? schema.skeleton
        (self.configuration, self.labels, self.schema) = (configuration, labels, schema)
    }

    /// The points of the things in one picture, those with the most confidence first.
    func groups(in outputs: [Tensor], inputSize: ImageSize) throws -> [PointGroup] {
        var found = try decoder.groups(in: outputs, inputSize: inputSize, above: minimumConfidence)
        if let broken = found.first(where: { !$0.points.allSatisfy(\.isFinite) }) {
            let count = broken.points.count { !$0.isFinite }
            throw RecordError(
                stage: "predict", code: "not-finite",
                message: "\(count) of \(broken.points.count) points are not finite")
        }
        try RecordError.checkConfidences(
            found.compactMap(\.confidence), "decoder \(type(of: decoder).name.rawValue)")
        // Rounding may carry a confidence beyond 1.
        for index in found.indices { found[index].confidence = found[index].confidence.map { min($0, 1) } }
        guard type(of: decoder).isSuppressed else { return found }
        let sound = found.filter { $0.box != nil }
        return configuration.suppression.positions(in: sound.compactMap(\.box)).map { sound[$0] }
    }

    /// The steps that the model's files give, or else the usual ones of the decoder's family.
    static func preprocessing(
        of model: Model, _ decoders: [any PointDecoder.Type], _ given: DetectionConfiguration?
    ) throws(ApusError) -> Preprocessing? {
        let configuration = given ?? model.decoding ?? DetectionConfiguration()
        guard let size = try inputSize(of: model, configuration) else { return model.preprocessing }
        let signature = DetectorSignature(model, inputSize: size)
        let customary = try decoder(decoders, for: signature, configuration.decoder).customaryPreprocessing(to: size)
        guard var steps = model.preprocessing, let customary else { return model.preprocessing ?? customary }
        // Metadata of formats give the numbers of pixels, but not how pictures of other proportions are placed.
        switch model.origins.preprocessing {
        case .model, .metadata(SourceOfNumbers.tflite), .quantization:
            (steps.resizing, steps.filter, steps.crop) = (customary.resizing, customary.filter, nil)
        default: break
        }
        return steps
    }

    /// The width and height of the input, when the network or the configuration fixes them.
    private static func inputSize(
        of model: Model, _ configuration: DetectionConfiguration
    ) throws(ApusError) -> ImageSize? {
        try ImageInput(model, preprocessing: nil).size ?? configuration.inputSize
    }

    /// The decoder of a name, or the first that recognises the outputs.
    static func decoder(
        _ decoders: [any PointDecoder.Type], for signature: DetectorSignature, _ name: String?
    ) throws(ApusError) -> any PointDecoder.Type {
        let names = decoders.map { $0.name.rawValue }.joined(separator: ", ")
        if let name {
            if let decoder = decoders.first(where: { $0.name.rawValue == name }) { return decoder }
            throw .usage("decoder \(name.printable): is not one for this task, which has \(names)")
        }
        if let decoder = decoders.first(where: { $0.recognizes(signature) }) { return decoder }
        let outputs = signature.outputs.map { output in
            let extents = output.shape?.map { $0.map(String.init) ?? "?" }.joined(separator: ", ")
            return "\"\(output.name.printable)\" [\(extents ?? "…")]"
        }
        throw .usage(
            "\(signature.model): no decoder of points knows the outputs \(outputs.joined(separator: ", ")); name one "
                + "of \(names)")
    }

    /// The settings on which answers depend.
    var settings: [String: String] {
        let suppression = configuration.suppression
        return [
            "decoder": "\(type(of: decoder).name.rawValue) \(configuration.pointUnits?.rawValue ?? "")",
            "min-confidence": "\(minimumConfidence)",
            "suppression": "\(suppression.threshold), \(suppression.maximumCount)"
                + (suppression.isClassAgnostic ? ", class-agnostic" : ""),
            "points": schema.names.joined(separator: ","),
        ]
    }
}
