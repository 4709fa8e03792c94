import Inference
import Platform

/// A request for the class of every pixel of a picture, or for its matte. Pixels are those of the whole upright
/// picture, however it was cropped and scaled.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     for segment in try await handler.perform(SegmentImageRequest(segmenter)).segments { print(segment.identifier) }
public struct SegmentImageRequest: ImageRequest {
    /// The segmenter.
    public let segmenter: Segmenter
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?

    /// Makes a request.
    public init(_ segmenter: Segmenter) { self.segmenter = segmenter }

    public func perform(on handler: ImageRequestHandler) async throws -> Segmentation {
        let picture = try await handler.prepared(for: segmenter.pictures.input, cropAndScale)
        return try await segmenter.answers(to: [picture])[0].get()
    }
}
