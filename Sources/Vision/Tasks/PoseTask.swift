import Images
import Inference
import Platform

/// People or hands with their points, by a decoder for the family of the network.
package enum PoseTask: PictureTask {
    package static let task = VisionTask.pose
    package static let summary = "people or hands, with named points"
    package static let content = ImageAnswer.Content.poses

    package static func evidence(in signature: TaskSignature) -> String? {
        let detector = signature.detector
        guard let decoder = Catalog.poseDecoders.first(where: { $0.isToldByNames(detector) }) else { return nil }
        return "the outputs have the names that decoder \(decoder.name.rawValue) reads"
    }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        Catalog.poseDecoders.contains { $0.recognizes(signature.detector) }
    }

    package static func reading(of model: Model) -> String? {
        do {
            let reading = try PointReading(model, Catalog.poseDecoders, nil, labels: nil, confidence: nil)
            let origin = reading.configuration.decoder == nil ? "told by the outputs" : "named beside the model"
            return "decoder \(type(of: reading.decoder).name.rawValue), \(origin)"
        } catch {
            return "no decoder: \(error)"
        }
    }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? {
        try PointReading.preprocessing(of: model, Catalog.poseDecoders, settings.decodingConfiguration)
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any PicturePredictor {
        try await PoseEstimator(
            model, options: options, configuration: settings.decodingConfiguration,
            minimumConfidence: settings.minimumConfidence, preprocessing: settings.preprocessing,
            labels: settings.labels, decoding: settings.decoding)
    }
}
