import Inference
import Platform

/// A request for the vector by which a picture is compared with others.
///
///     let handler = try ImageRequestHandler(.file("coffee.png"))
///     let print = try await handler.perform(GenerateImageFeaturePrintRequest(embedder))
public struct GenerateImageFeaturePrintRequest: ImageRequest {
    /// The embedder.
    public let embedder: Embedder
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?

    /// Makes a request.
    public init(_ embedder: Embedder) { self.embedder = embedder }

    public func perform(on handler: ImageRequestHandler) async throws -> ImageEmbedding {
        let picture = try await handler.prepared(for: embedder.pictures.input, cropAndScale)
        return try await embedder.answers(to: [picture])[0].get()
    }
}
