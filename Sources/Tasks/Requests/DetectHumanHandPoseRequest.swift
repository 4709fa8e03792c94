import Inference
import Platform

/// A request for the hand in a picture, by its points.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     for hand in try await handler.perform(DetectHumanHandPoseRequest(estimator)) { print(hand["wrist"]?.x ?? 0) }
public struct DetectHumanHandPoseRequest: ImageRequest {
    /// The estimator.
    public let estimator: PoseEstimator
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?

    /// Makes a request.
    public init(_ estimator: PoseEstimator) { self.estimator = estimator }

    public func perform(on handler: ImageRequestHandler) async throws -> [Pose] {
        let picture = try await handler.prepared(for: estimator.pictures.input, cropAndScale)
        return try await estimator.answers(to: [picture])[0].get().poses
    }
}
