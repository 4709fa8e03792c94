import Inference
import Platform

/// A request for the lines of text in a picture.
///
///     let handler = try ImageRequestHandler(.file("page.png"))
///     for line in try await handler.perform(RecognizeTextRequest(recognizer)).lines { print(line.text ?? "?") }
public struct RecognizeTextRequest: ImageRequest {
    /// What finds the lines and reads them.
    public let recognizer: TextRecognizer
    /// Lines with less confidence are left out; so are those that the recipe leaves out.
    public var minimumConfidence: Float = 0

    /// Makes a request.
    public init(_ recognizer: TextRecognizer) { self.recognizer = recognizer }

    public func perform(on handler: ImageRequestHandler) async throws -> RecognizedText {
        let text = try await recognizer.predict(.image(try await handler.image()))
        return RecognizedText(text.lines.filter { $0.confidence >= minimumConfidence }, imageSize: text.imageSize)
    }
}
