import Inference

extension Catalog {
    /// The decoders for landmarks, in the order in which they are tried.
    package static let landmarkDecoders: [any PointDecoder.Type] = [
        MediaPipeAttentionDecoder.self, MediaPipeFaceDecoder.self, MediaPipeIrisDecoder.self, RegressionDecoder.self,
    ]
}
