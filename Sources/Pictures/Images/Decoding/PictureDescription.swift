import FoundationEssentials

/// What a picture's file says about itself before its pixels.
///
///     let description = try PictureDescription(of: Data(contentsOf: url))
///     print(description.kind, description.uprightSize)
public struct PictureDescription: Sendable {
    /// The kind of file, such as `JPEG`.
    public let kind: String
    /// The size as the pixels are stored.
    public let storedSize: ImageSize
    /// The orientation of the stored pixels.
    public let orientation: ImageOrientation
    /// What a pixel is stored as, such as `8-bit RGB`.
    public let pixels: String
    /// The number of frames or pages that can be decoded one by one.
    public let frameCount: Int
    /// Whether the file holds an animation.
    public let isAnimated: Bool
    /// The color profile; nil where there is none.
    public let colorProfile: ColorProfile?

    /// Reads the description.
    ///
    /// - Parameter bytes: The file, as `Data` or `[UInt8]`.
    /// - Throws: ``ImageError`` when the bytes are no picture, or their beginning is damaged.
    public init(of bytes: some ContiguousBytes) throws(ImageError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(ImageError) in
                let file = Bytes(buffer)
                return PictureDescription(try PictureDecoders.decoder(of: file).init(file, frame: 0))
            }
        }
        self = try result.get()
    }

    private init(_ picture: any PictureDecoder) {
        kind = picture.kind
        storedSize = picture.size
        orientation = ImageOrientation(rawValue: picture.orientation.rawValue) ?? .up
        pixels = picture.pixelDescription
        frameCount = picture.frameCount
        isAnimated = picture.isAnimated
        colorProfile = picture.colorProfile.map { ColorProfile($0) }
    }

    /// The size after the orientation is applied.
    public var uprightSize: ImageSize {
        orientation.rawValue >= 5
            ? ImageSize(width: storedSize.height, height: storedSize.width) : storedSize
    }

    /// Whether a file begins as a picture of a kind that is decoded.
    package static func isPicture(_ start: some ContiguousBytes) -> Bool {
        start.withUnsafeBytes { (try? PictureDecoders.decoder(of: Bytes($0))) != nil }
    }
}
