import Inference
import Platform

/// A request for the people in a picture, by their points, those with the most confidence first.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     for pose in try await handler.perform(DetectHumanBodyPoseRequest(estimator)) { print(pose["nose"]?.x ?? 0) }
public struct DetectHumanBodyPoseRequest: ImageRequest {
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
