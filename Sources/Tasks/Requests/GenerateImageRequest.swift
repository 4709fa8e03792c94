import Inference
import Platform

/// A request for the picture that a network makes of a picture.
///
///     let handler = try ImageRequestHandler(.file("small.png"))
///     let image = try await handler.perform(GenerateImageRequest(generator)).image()
public struct GenerateImageRequest: ImageRequest {
    /// The generator.
    public let generator: ImageGenerator

    /// Makes a request.
    public init(_ generator: ImageGenerator) { self.generator = generator }

    public func perform(on handler: ImageRequestHandler) async throws -> GeneratedImage {
        let image = try await handler.image()
        return try await generator.predict(.image(image))
    }
}
