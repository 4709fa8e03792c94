import FoundationEssentials
import Images
import Platform
import Preparation
import Tensors

/// Holds one picture and performs requests on it.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     let classes = try await handler.perform(ClassifyImageRequest(classifier))
///     let objects = try await handler.perform(RecognizeObjectsRequest(detector))
///
/// The picture is decoded once. It is resized and turned into numbers once for all requests that need the same. Every
/// method may be called from any task; decoding and resizing run on the handler's thread.
public final class ImageRequestHandler: Sendable {
    private let picture: RequestedPicture

    /// Makes a handler of a picture. A file is read and decoded when the first request needs it.
    ///
    /// - Parameters:
    ///   - orientation: The orientation of the stored rows in the upright picture; nil for that in the file.
    ///   - decoding: The limits of decoding.
    /// - Throws: ``ApusError/memory(_:)`` when the system gives no thread.
    public init(
        _ source: ImageSource, orientation: ImageOrientation? = nil,
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) throws(ApusError) {
        picture = try RequestedPicture(source, orientation, decoding)
    }

    /// Makes a handler of the bytes of a picture file.
    ///
    /// - Throws: ``ApusError/memory(_:)`` when the system gives no thread.
    public convenience init(_ data: Data, orientation: ImageOrientation? = nil) throws(ApusError) {
        try self.init(.data(data), orientation: orientation)
    }

    /// Makes a handler of raw pixels, which are copied.
    ///
    /// - Throws: ``ImageError/invalidSize(_:)`` when there are too few bytes; ``ApusError/memory(_:)``.
    public convenience init(_ pixels: PixelBuffer, orientation: ImageOrientation = .up) throws {
        try self.init(.image(try pixels.image()), orientation: orientation)
    }

    /// Performs one request.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    public func perform<Request: ImageRequest>(_ request: Request) async throws -> Request.Answer {
        try await request.perform(on: self)
    }

    /// Performs several requests one after the other.
    ///
    ///     let (classes, objects) = try await handler.perform(classifyRequest, objectsRequest)
    ///
    /// - Throws: The error of the first request that fails.
    public func perform<First: ImageRequest, Second: ImageRequest, each Further: ImageRequest>(
        _ first: First, _ second: Second, _ further: repeat each Further
    ) async throws -> (First.Answer, Second.Answer, repeat (each Further).Answer) {
        let answers = (try await first.perform(on: self), try await second.perform(on: self))
        return (answers.0, answers.1, repeat try await (each further).perform(on: self))
    }

    /// The upright picture.
    ///
    /// - Throws: ``RecordError``.
    public func image() async throws -> Image { try await picture.image() }

    /// How often the picture was decoded, and how often it was resized.
    package var work: (decoded: Int, resized: Int) { get async { await picture.work } }

    /// The picture, prepared for an input.
    package func prepared(for input: ImageInput, _ cropAndScale: CropAndScale?) async throws -> PreparedPicture {
        try await picture.prepared(for: input, cropAndScale)
    }
}
