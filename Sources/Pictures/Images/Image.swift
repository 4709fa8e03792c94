/// A picture in memory: 8 bits each of red, green and blue for every pixel, row after row from the top left.
///
///     let image = try Image(decoding: Data(contentsOf: url))
///     let thumbnail = try image.resized(to: ImageSize(width: 224, height: 224), filter: .bicubic)
public struct Image: Sendable, Equatable {
    /// The default maximum number of pixels of an image: 360 MB of RGB.
    public static let defaultMaximumPixelCount = 120_000_000

    /// The maximum width and height of a decoded picture.
    public static let maximumEdge = 65_536

    /// The width and height, both at least 1.
    public let size: ImageSize
    /// Red, green, blue of every pixel: `3 * width * height` bytes.
    public let pixels: [UInt8]
    /// Whether this is the first frame of an animated file.
    public internal(set) var isFirstOfSeveralFrames = false
    /// What is wrong with the file, in one line, when all pixels could be decoded nevertheless.
    public internal(set) var warning: String?

    /// The number of columns.
    public var width: Int { size.width }
    /// The number of rows.
    public var height: Int { size.height }

    /// Makes an image from its pixels.
    ///
    /// - Parameter pixels: Red, green, blue of every pixel, row after row.
    /// - Throws: ``ImageError/invalidSize(_:)`` when an extent is below 1 or `pixels` has another length.
    public init(width: Int, height: Int, pixels: [UInt8]) throws(ImageError) {
        let size = ImageSize(width: width, height: height)
        guard let count = size.pixelCount else { throw .invalidSize("an image cannot have the size \(size)") }
        guard pixels.count == count * 3 else {
            throw .invalidSize("an image of \(size) has \(count * 3) bytes, not \(pixels.count)")
        }
        self.size = size
        self.pixels = pixels
    }

    /// Makes an image whose pixels `body` writes; all bytes are undefined before.
    ///
    /// - Precondition: `size.pixelCount` is not nil.
    init<Failure: Error>(
        _ size: ImageSize, writing body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let count = size.width * size.height * 3
        var failure: Failure?
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(Failure) {
                try body(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
                initialized = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        self.size = size
        self.pixels = pixels
    }
}
