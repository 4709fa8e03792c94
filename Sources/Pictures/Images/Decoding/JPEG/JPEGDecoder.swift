/// JPEG, through TurboJPEG.
struct JPEGDecoder: PictureDecoder {
    static let name = "JPEG"
    static let fileExtensions: Set<String> = ["jpg", "jpeg", "jpe", "jfif"]
    static let signatures: [[UInt8?]] = [[0xFF, 0xD8, 0xFF]]

    private let file: Bytes
    private let header: JPEGHeader

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        self.file = file
        header = try JPEGHeader(file)
    }

    var size: ImageSize { header.size }
    var orientation: Orientation { header.orientation }
    var decodingBytesPerPixel: Int { header.decodingBytesPerPixel }
    var colorProfile: [UInt8]? { header.colorProfile(file) }

    var pixelDescription: String {
        let colors = header.componentCount == 1 ? "grey" : header.componentCount == 4 ? "CMYK" : "color"
        return "8-bit \(colors)\(header.isProgressive ? ", progressive" : "")"
    }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        let size = options.reducedJPEGSize.map { header.size.reducedByEighths(notBelow: $0) } ?? header.size
        do throws(ImageError) {
            let decompressor = try JPEGDecompressor(file, header.size)
            return try image(
                decompressor, size, paddingLimit: options.acceptsDamage ? .max : JPEGDamage.harmlessPadding)
        } catch {
            let damage = JPEGDamage(file, header)
            guard options.acceptsDamage, let repaired = damage.repaired() else { throw damage.named(error) }
            let result = repaired.file.withUnsafeBytes { buffer in
                Result { () throws(ImageError) in
                    try image(try JPEGDecompressor(Bytes(buffer), header.size), size, paddingLimit: .max)
                }
            }
            guard case .success(var image) = result else { throw damage.named(error) }
            image.warning = ([repaired.warning] + [image.warning].compactMap { $0 }).joined(separator: "; ")
            return image
        }
    }

    private func image(
        _ decompressor: JPEGDecompressor, _ size: ImageSize, paddingLimit: Int
    ) throws(ImageError) -> Image {
        var padding = 0
        var image: Image
        if header.componentCount == 4 {
            var inks = [UInt8](repeating: 0, count: size.width * size.height * 4)
            try inks.withUnsafeMutableBufferPointer { (buffer) throws(ImageError) in
                padding = try decompressor.decode(
                    to: buffer, size, .cmyk, bytesPerPixel: 4, paddingLimit: paddingLimit)
            }
            image = Image(invertedCMYK: inks, size)
        } else {
            image = try Image(size) { (target) throws(ImageError) in
                padding = try decompressor.decode(
                    to: target, size, .rgb, bytesPerPixel: 3, paddingLimit: paddingLimit)
            }
        }
        if padding > JPEGDamage.harmlessPadding {
            image.warning = "extraneous bytes before the end marker"
        }
        return image
    }
}

extension Image {
    /// Converts inverted CMYK inks, as Adobe stores them in JPEG files (255 is no ink).
    ///
    ///     R = K - round((255 - C) * K / 255), likewise G from M and B from Y
    ///
    /// Pillow converts every CMYK picture in this way, with the same rounding.
    init(invertedCMYK inks: [UInt8], _ size: ImageSize) {
        self = Image(size) { target in
            inks.withUnsafeBufferPointer { source in
                for pixel in 0..<size.width * size.height {
                    let key = Int(source[pixel * 4 + 3])
                    for channel in 0..<3 {
                        let product = (255 - Int(source[pixel * 4 + channel])) * key + 128
                        target[pixel * 3 + channel] = UInt8(max(0, key - ((product >> 8) + product) >> 8))
                    }
                }
            }
        }
    }
}

extension ImageSize {
    /// The smallest of this size times 1/8, 2/8, …, 8/8, rounded up, whose extents are not below those of `minimum`.
    fileprivate func reducedByEighths(notBelow minimum: ImageSize) -> ImageSize {
        for eighths in 1...7 {
            let reduced = ImageSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
            if reduced.width >= minimum.width, reduced.height >= minimum.height { return reduced }
        }
        return self
    }
}
