import Images
import Inference
import Models
import Platform
import Predicting
import Preparation

/// The class of every pixel, a matte, or objects with masks.
package enum SegmentTask: PictureTask {
    package static let task = VisionTask.segment
    package static let summary = "the class of every pixel, a matte, or objects with masks"
    package static let answersParts = false
    package static let content = ImageAnswer.Content.segments
    package static let contents: [ImageAnswer.Content] = [.segments, .instances]

    package static func evidence(in signature: TaskSignature) -> String? {
        for output in signature.outputs {
            guard let map = output.map(signature.layout) else { continue }
            let name = output.name.printable
            if let names = signature.labelCount, map.channels == names {
                return "output \"\(name)\" has a map for each of the \(names) names of classes"
            }
            if output.isCalled("segment", "mask", "matte") { return "output \"\(name)\" has the name of masks" }
            // Depth, normals and flow have up to three maps.
            if let size = signature.inputSize, map.height == size.height, map.width == size.width,
                let channels = map.channels, channels > 3
            {
                return "output \"\(name)\" has \(channels) numbers for every pixel of the input"
            }
        }
        return nil
    }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        signature.outputs.contains { $0.map(signature.layout) != nil }
    }

    package static func content(for model: Model) -> ImageAnswer.Content {
        InstanceSegmenter.canRead(model) ? .instances : content
    }

    package static func reading(of model: Model) -> String? {
        if let name = InstanceSegmenter.decoderName(of: model) { return "objects with masks, decoder \(name)" }
        let input = try? ImageInput(model, preprocessing: nil)
        guard let input, let name = try? MapScores.output(of: model, input.layout),
            let chosen = try? model.giving(name),
            let scores = try? MapScores(chosen, input.layout, PictureOutputs(chosen).outputs.first)
        else { return nil }
        return "output \"\(name.printable)\" has \(scores.content.description)"
    }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? {
        guard InstanceSegmenter.canRead(model) else { return try Segmenter.customaryPreprocessing(of: model) }
        let configuration = settings.decodingConfiguration ?? model.decoding ?? DetectionConfiguration()
        return try InstanceSegmenter.customaryPreprocessing(of: model, configuration)
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        if settings.outputName == nil, InstanceSegmenter.canRead(model) {
            return try await InstanceSegmenter(
                model, options: options, configuration: settings.decodingConfiguration,
                preprocessing: settings.preprocessing, labels: settings.labels, decoding: settings.decoding)
        }
        var segmentation = settings.segmentation
        segmentation.output = settings.outputName ?? segmentation.output
        return try await Segmenter(
            model, options: options, segmentation: segmentation, preprocessing: settings.preprocessing,
            labels: settings.labels, decoding: settings.decoding)
    }
}

extension TaskSettings {
    /// How an output becomes the classes of pixels.
    package var segmentation: Segmenter.Options {
        get { self[Segmenter.Options()] }
        set { self[Segmenter.Options()] = newValue }
    }
}
