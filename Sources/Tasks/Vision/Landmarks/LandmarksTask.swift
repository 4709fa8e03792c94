import Inference
import Models
import Platform
import Predicting

/// The points of one thing, by a decoder for the family of the network.
package enum LandmarksTask: PointTask {
    package static let task = VisionTask.landmarks
    package static let summary = "the points of one face, eye or other thing"
    package static let readsNamedOutput = false
    package static let content = ImageAnswer.Content.landmarks
    package static let decoders = Catalog.landmarkDecoders

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        try await LandmarkDetector(
            model, options: options, configuration: settings.decodingConfiguration,
            minimumConfidence: settings.minimumConfidence, preprocessing: settings.preprocessing,
            labels: settings.labels, decoding: settings.decoding)
    }
}

extension Catalog {
    /// The decoders for landmarks, in the order in which they are tried.
    package static let landmarkDecoders: [any PointDecoder.Type] = [
        MediaPipeAttentionDecoder.self, MediaPipeFaceDecoder.self, MediaPipeIrisDecoder.self, RegressionDecoder.self,
    ]
}
