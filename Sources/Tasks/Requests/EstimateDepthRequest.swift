import Inference
import Platform

/// A request for the depth of every pixel of a picture. Pixels are those of the whole upright picture, however it was
/// cropped and scaled.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     let depth = try await handler.perform(EstimateDepthRequest(estimator))
public struct EstimateDepthRequest: ImageRequest {
    /// The estimator.
    public let estimator: DepthEstimator
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?

    /// Makes a request.
    public init(_ estimator: DepthEstimator) { self.estimator = estimator }

    public func perform(on handler: ImageRequestHandler) async throws -> DepthMap {
        let picture = try await handler.prepared(for: estimator.pictures.input, cropAndScale)
        return try await estimator.answers(to: [picture])[0].get()
    }
}
