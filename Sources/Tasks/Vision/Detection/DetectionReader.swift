import Images
import Models
import Platform
import Preparation
import Tensors

/// Reads the objects in the outputs of a detector, in fractions of the network's input.
package struct DetectionReader: Sendable {
    let decoder: any ObjectDecoder
    /// The number of classes, when the shapes of the outputs tell it.
    let classCount: Int?
    /// How outputs become objects, with the least confidence and the overlap of the decoder's family where nothing
    /// gives others.
    package let configuration: DetectionConfiguration
    private let model: Model
    private let input: ImageInput

    /// - Throws: ``ApusError/usage(_:)`` when no decoder reads the outputs.
    init(_ model: Model, _ configuration: DetectionConfiguration, _ input: ImageInput) throws(ApusError) {
        let signature = DetectorSignature(model, inputSize: input.size ?? configuration.inputSize)
        let family = try ObjectDetector.decoder(for: signature, configuration.decoder)
        decoder = try family.init(signature, configuration)
        classCount = family.classCount(of: signature)
        self.configuration = configuration.customary(for: decoder)
        self.model = model
        self.input = input
    }

    /// The reader of a model with the configuration that its files give, for runs with inputs as large as given ones.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no decoder recognises its
    ///   outputs.
    package init(_ model: Model, inputs: [String: Tensor]) throws(ApusError) {
        var configuration = model.detection ?? DetectionConfiguration()
        let others = try ObjectDetector.inputsBesidePicture(of: model, configuration)
        let input = try ImageInput(model, preprocessing: nil, besides: others)
        configuration.inputSize = try input.pictureSize(in: inputs)
        try self.init(model, configuration, input)
    }

    /// The outputs of a run in the network's order, as floats where they are quantized.
    func ordered(_ outputs: [String: Tensor]) throws -> [Tensor] {
        try model.graph.outputs.compactMap { id in
            let output = model.graph[id]
            guard let tensor = outputs[output.name], let quantization = output.quantization else {
                return outputs[output.name]
            }
            return try tensor.dequantized(quantization)
        }
    }

    /// The objects in the outputs of one picture after suppression, those with the most confidence first.
    func objects(in outputs: [Tensor], inputSize: ImageSize) throws(RecordError) -> [ObjectCandidate] {
        var candidates = try decoder.candidates(
            in: outputs, inputSize: inputSize, above: configuration.minimumConfidence)
        try RecordError.checkFinite(
            candidates.flatMap { [$0.left, $0.top, $0.right, $0.bottom] }, "edges of boxes")
        try RecordError.checkFinite(
            candidates.flatMap { $0.points.flatMap { [$0.x, $0.y] } }, "places of points")
        // Rounding may carry a confidence beyond 1.
        for index in candidates.indices { candidates[index].confidence = min(candidates[index].confidence, 1) }
        if decoder.isSuppressed {
            return Array(
                candidates.filter(\.isSound).byFallingConfidence.prefix(configuration.suppression.maximumCount))
        }
        return type(of: decoder).customaryWeightedOverlap == nil
            ? configuration.suppression(candidates) : configuration.suppression.weighted(candidates)
    }

    /// The objects in the outputs of a run for one picture.
    ///
    /// - Parameter inputs: The inputs of the run.
    /// - Throws: ``ApusError`` when outputs have other extents than the decoder expects.
    package func objects(
        in outputs: [String: Tensor], of inputs: [String: Tensor]
    ) throws(ApusError) -> [ObjectCandidate] {
        let size = try input.pictureSize(in: inputs)
        do {
            return try objects(in: ordered(outputs), inputSize: size)
        } catch let error as RecordError {
            throw ApusError(error, model: model.name)
        } catch {
            throw ApusError(error, model: model.name)
        }
    }
}

extension ImageInput {
    /// The width and height of the picture among the inputs of a run.
    fileprivate func pictureSize(in inputs: [String: Tensor]) throws(ApusError) -> ImageSize {
        guard let picture = inputs[name], picture.shape.count == 4 else { throw .usage("\"\(name)\" is no picture") }
        return extent(of: picture)
    }
}
