import Inference
import Models
import Platform
import Predicting

/// People or hands with their points, by a decoder for the family of the network.
package enum PoseTask: PointTask {
    package static let task = VisionTask.pose
    package static let summary = "people or hands, with named points"
    package static let readsNamedOutput = false
    package static let content = ImageAnswer.Content.poses
    package static let decoders = Catalog.poseDecoders

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        try await PoseEstimator(
            model, options: options, configuration: settings.decodingConfiguration,
            minimumConfidence: settings.minimumConfidence, preprocessing: settings.preprocessing,
            labels: settings.labels, decoding: settings.decoding)
    }
}

extension Catalog {
    /// The decoders for poses, in the order in which they are tried.
    package static let poseDecoders: [any PointDecoder.Type] = [
        MoveNetDecoder.self, MoveNetMultiposeDecoder.self, YOLONASPoseDecoder.self, SimCCDecoder.self,
        MediaPipePoseDecoder.self, MediaPipeHandDecoder.self, YOLOPoseDecoder.self, YOLOPoseEndToEndDecoder.self,
        HeatmapDecoder.self,
    ]
}
