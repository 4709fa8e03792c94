import Inference
import Platform

/// A request for the points of the face, or of another thing, that a picture shows.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     let points = try await handler.perform(DetectFaceLandmarksRequest(detector)).points
public struct DetectFaceLandmarksRequest: ImageRequest {
    /// The detector.
    public let detector: LandmarkDetector
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?

    /// Makes a request.
    public init(_ detector: LandmarkDetector) { self.detector = detector }

    public func perform(on handler: ImageRequestHandler) async throws -> LandmarkDetection {
        let picture = try await handler.prepared(for: detector.pictures.input, cropAndScale)
        return try await detector.answers(to: [picture])[0].get()
    }
}
