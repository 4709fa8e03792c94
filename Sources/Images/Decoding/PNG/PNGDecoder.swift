import PNGReading

/// PNG, through libpng. Of an animation, the picture that every reader of PNG shows is decoded.
struct PNGDecoder: PictureDecoder {
    static let name = "PNG"
    static let fileExtensions: Set<String> = ["png", "apng"]
    static let signatures: [[UInt8?]] = [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]]

    private let file: Bytes
    private let header: PNGHeader

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        self.file = file
        header = try PNGHeader(file)
    }

    var size: ImageSize { header.size }
    var orientation: Orientation { header.orientation }
    var isAnimated: Bool { header.isAnimated }
    var decodingBytesPerPixel: Int { 3 }
    var pixelDescription: String { header.pixelDescription }

    var colorProfile: [UInt8]? {
        guard header.hasProfile else { return nil }
        var profile = [UInt8](repeating: 0, count: Int(PNGReadingProfileCapacity))
        let count = PNGReadingColorProfile(
            file.buffer.bindMemory(to: UInt8.self).baseAddress, file.count, &profile, profile.count)
        return count > 0 ? Array(profile.prefix(count)) : nil
    }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        try Image(size) { (target) throws(ImageError) in
            var message = [CChar](repeating: 0, count: Int(PNGReadingMessageCapacity))
            let status = PNGReadingDecode(
                file.buffer.bindMemory(to: UInt8.self).baseAddress, file.count,
                UInt32(size.width), UInt32(size.height), target.baseAddress, &message)
            if status == PNGReadingOK { return }
            let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            switch status {
            case PNGReadingTruncated: throw .truncated(text)
            case PNGReadingOutOfMemory: throw .outOfMemory
            default: throw .corrupt(text)
            }
        }
    }
}
