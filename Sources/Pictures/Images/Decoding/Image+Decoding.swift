import FoundationEssentials

extension Image {
    /// Decodes a picture file, recognized by its content.
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

    /// The number of frames or pages of a picture file that can be decoded one by one.
    package static func frameCount(of bytes: some ContiguousBytes) throws(ImageError) -> Int {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(ImageError) in
                let file = Bytes(buffer)
                return try PictureDecoders.decoder(of: file).init(file, frame: 0).frameCount
            }
        }
        return try result.get()
    }

    private init(file: Bytes, options: DecodingOptions) throws(ImageError) {
        self = try Image(PictureDecoders.decoder(of: file).init(file, frame: options.frame), options)
    }

    /// Decodes a picture whose header was read.
    init(_ picture: any PictureDecoder, _ options: DecodingOptions) throws(ImageError) {
        try options.check(options.frame, of: picture)
        try options.check(picture.size)
        try options.checkMemory(picture.decodedSize, picture)
        self = try Image(decoded: picture.decoded(options), of: picture, options)
    }

    /// The pixels of a picture as they are stored, in the colors that are wanted and upright.
    init(decoded image: Image, of picture: any PictureDecoder, _ options: DecodingOptions) throws(ImageError) {
        var decoded = image
        if options.colorProfile == .srgb, let profile = picture.colorProfile {
            decoded = try decoded.convertedToSRGB(ColorProfile(profile))
        }
        self = options.appliesOrientation ? decoded.oriented(picture.orientation) : decoded
        isFirstOfSeveralFrames = picture.isAnimated && options.frame == 0
        warning = decoded.warning
    }
}
