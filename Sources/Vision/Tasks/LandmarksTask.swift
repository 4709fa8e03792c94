import Images
import Inference
import Platform

/// The points of one thing, by a decoder for the family of the network.
package enum LandmarksTask: PictureTask {
    package static let task = VisionTask.landmarks
    package static let summary = "the points of one face, eye or other thing"
    package static let content = ImageAnswer.Content.landmarks

    package static func evidence(in signature: TaskSignature) -> String? {
        let detector = signature.detector
        guard let decoder = Catalog.landmarkDecoders.first(where: { $0.isToldByNames(detector) }) else { return nil }
        return "the outputs have the names that decoder \(decoder.name.rawValue) reads"
    }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        Catalog.landmarkDecoders.contains { $0.recognizes(signature.detector) }
    }

    package static func reading(of model: Model) -> String? {
        do {
            let reading = try PointReading(model, Catalog.landmarkDecoders, nil, labels: nil, confidence: nil)
            let origin = reading.configuration.decoder == nil ? "told by the outputs" : "named beside the model"
            return "decoder \(type(of: reading.decoder).name.rawValue), \(origin)"
        } catch {
            return "no decoder: \(error)"
        }
    }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? {
        try PointReading.preprocessing(of: model, Catalog.landmarkDecoders, settings.decodingConfiguration)
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any PicturePredictor {
        try await LandmarkDetector(
            model, options: options, configuration: settings.decodingConfiguration,
            minimumConfidence: settings.minimumConfidence, preprocessing: settings.preprocessing,
            labels: settings.labels, decoding: settings.decoding)
    }
}
