import Foundation

extension Image {
    /// Decodes a JPEG or PNG file, recognized by its content.
    ///
    /// Pixels equal those of Pillow's `ImageOps.exif_transpose(image).convert("RGB")`: grey is repeated, palettes are
    /// looked up, alpha is dropped, CMYK is converted without a color profile. Samples of 16 bits keep their high
    /// byte, for grey as well.
    ///
    /// - Parameters:
    ///   - bytes: The file, as `Data` or `[UInt8]`.
    ///   - options: Limits, orientation, and decoding at a reduced size.
    /// - Throws: ``ImageError``; a file that is cut off or damaged is always an error.
    public init(decoding bytes: some ContiguousBytes, options: DecodingOptions = DecodingOptions()) throws(ImageError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(ImageError) in try Image(file: Bytes(buffer), options: options) }
        }
        self = try result.get()
    }

    private init(file: Bytes, options: DecodingOptions) throws(ImageError) {
        switch try FileKind(of: file) {
        case .jpeg: self = try Image(jpeg: file, options: options)
        case .png: self = try Image(png: file, options: options)
        }
    }
}
