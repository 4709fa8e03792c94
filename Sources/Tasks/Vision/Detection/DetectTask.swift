import Images
import Inference
import Models
import Platform
import Predicting

/// Objects with boxes, by a decoder for the family of the network.
package enum DetectTask: PictureTask {
    package static let task = VisionTask.detect
    package static let summary = "objects with boxes"
    package static let readsNamedOutput = false
    package static let content = ImageAnswer.Content.objects

    package static func evidence(in signature: TaskSignature) -> String? {
        let detector = signature.detector
        guard let decoder = decoder(of: detector) else { return nil }
        if decoder.isToldByNames(detector) {
            return "the outputs have the names that decoder \(decoder.name.rawValue) reads"
        }
        if decoder.isToldByShapes(detector) {
            return "the outputs have the shapes of decoder \(decoder.name.rawValue) and no other"
        }
        if decoder.isToldByHead(detector) {
            return "the last operators are those of decoder \(decoder.name.rawValue)"
        }
        guard let names = signature.labelCount, decoder.classCount(of: detector) == names else { return nil }
        return "the outputs are those of decoder \(decoder.name.rawValue) for \(names) classes, as many as have names"
    }

    package static func canRead(_ signature: TaskSignature) -> Bool { decoder(of: signature.detector) != nil }

    private static func decoder(of signature: DetectorSignature) -> (any ObjectDecoder.Type)? {
        Catalog.decoders.first { $0.recognizes(signature) }
    }

    package static func reading(of model: Model) -> String? {
        let configuration = model.detection ?? DetectionConfiguration()
        do {
            let name = try ObjectDetector.decoderName(of: model, configuration)
            let origin = configuration.decoder == nil ? "told by the outputs" : model.origins.detection?.description
            var reading = "decoder \(name)" + (origin.map { ", \($0)" } ?? "")
            let others = try ObjectDetector.otherDecoderNames(of: model, configuration)
            if !others.isEmpty {
                reading += "; \(others.joined(separator: ", ")) would fit, too, and --decoder names one"
            }
            return reading
        } catch {
            return "no decoder: \(error)"
        }
    }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? {
        try ObjectDetector.customaryPreprocessing(
            of: model, settings.detection ?? model.detection ?? DetectionConfiguration())
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        try await ObjectDetector(
            model, options: options, configuration: settings.detection, preprocessing: settings.preprocessing,
            labels: settings.labels, decoding: settings.decoding)
    }
}
