import Inference

extension Catalog {
    /// The decoders for poses, in the order in which they are tried.
    package static let poseDecoders: [any PointDecoder.Type] = [
        SimCCDecoder.self, MediaPipePoseDecoder.self, MediaPipeHandDecoder.self, YOLOPoseDecoder.self,
        HeatmapDecoder.self,
    ]
}
