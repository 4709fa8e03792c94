import Inference
import Platform

/// A request for the objects in a picture with their pixels, those with the most confidence first.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     for instance in try await handler.perform(SegmentInstancesRequest(segmenter)) { print(instance.identifier) }
public struct SegmentInstancesRequest: ImageRequest {
    /// The segmenter.
    public let segmenter: InstanceSegmenter
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?

    /// Makes a request.
    public init(_ segmenter: InstanceSegmenter) { self.segmenter = segmenter }

    public func perform(on handler: ImageRequestHandler) async throws -> [Instance] {
        let picture = try await handler.prepared(for: segmenter.pictures.input, cropAndScale)
        return try await segmenter.answers(to: [picture])[0].get().instances
    }
}
