/// A decoder of one kind of picture file. A kind is one type that conforms, and one line in ``PictureDecoders/all``.
///
/// A value is a file whose header was read; no pixel is decoded before its size is checked. It must not outlive the
/// closure that provides the file's memory.
protocol PictureDecoder: SendableMetatype {
    /// The kind's name in messages, such as `JPEG`.
    static var name: String { get }
    /// The extensions, in lowercase, of the files that are taken from folders.
    static var fileExtensions: Set<String> { get }
    /// The beginnings of files of this kind; nil stands for any byte.
    static var signatures: [[UInt8?]] { get }

    /// The libraries that are found at run time, and are not there; by default none is needed.
    static var missingLibraries: [ImageError] { get }

    /// Whether a file that begins with a signature is of this kind.
    static func accepts(_ file: Bytes) -> Bool

    /// Reads what precedes the pixels.
    ///
    /// - Parameter frame: The index of the frame or page, from 0.
    init(_ file: Bytes, frame: Int) throws(ImageError)

    /// What the file is, such as `AVIF`; by default the kind's name.
    var kind: String { get }
    /// The stored size, before the orientation is applied.
    var size: ImageSize { get }
    var orientation: Orientation { get }
    /// The number of frames or pages; 1 where only the first is decoded.
    var frameCount: Int { get }
    /// Whether the file holds frames of an animation.
    var isAnimated: Bool { get }
    /// The size of what is decoded; by default that of the picture.
    var decodedSize: ImageSize { get }
    /// The maximum bytes while decoding beside those for pixels; by default none.
    var decodingByteCount: Int { get }
    /// The maximum bytes for each pixel while decoding, with the 3 of the image.
    var decodingBytesPerPixel: Int { get }
    /// The maximum further bytes for each pixel where transparency is put on a ground; by default 1.
    var groundBytesPerPixel: Int { get }
    /// What a pixel is stored as, such as `8-bit RGB`.
    var pixelDescription: String { get }
    /// The ICC profile; nil where there is none.
    var colorProfile: [UInt8]? { get }

    /// Decodes the pixels as they are stored. The size has been checked.
    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image

    /// Draws all frames, from the first on; nil where there are none that are drawn on one another.
    func drawing() throws(ImageError) -> (any FrameDrawing)?
}

extension PictureDecoder {
    static var missingLibraries: [ImageError] { [] }
    static func accepts(_ file: Bytes) -> Bool { true }

    var kind: String { Self.name }
    var decodedSize: ImageSize { size }
    var decodingByteCount: Int { 0 }
    var groundBytesPerPixel: Int { 1 }
    var frameCount: Int { 1 }
    var isAnimated: Bool { frameCount > 1 }
    var colorProfile: [UInt8]? { nil }
    func drawing() throws(ImageError) -> (any FrameDrawing)? { nil }
}

extension Bytes {
    /// Whether the file begins with a signature.
    func matches(_ signature: [UInt8?]) -> Bool { count >= signature.count && isPrefixed(like: signature) }

    /// Whether the file is shorter than a signature, and begins like it.
    func isCutOff(within signature: [UInt8?]) -> Bool {
        count < signature.count && signature.count > 2 && isPrefixed(like: signature)
    }

    private func isPrefixed(like signature: [UInt8?]) -> Bool {
        zip(buffer, signature).allSatisfy { byte, expected in expected == nil || byte == expected }
    }

    /// All bytes, copied.
    var copied: [UInt8] { Array(buffer) }
}

extension [UInt8?] {
    /// The bytes of a text as a signature.
    static func text(_ text: String) -> [UInt8?] { text.utf8.map { $0 } }
}
