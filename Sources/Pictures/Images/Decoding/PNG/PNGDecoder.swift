import PNGReading

/// PNG, through libpng. The first frame of an animation is the picture that every reader of PNG shows.
struct PNGDecoder: PictureDecoder {
    static let name = "PNG"
    static let fileExtensions: Set<String> = ["png", "apng"]
    static let signatures: [[UInt8?]] = [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]]

    private let file: Bytes
    private let header: PNGHeader
    private let frame: Int
    private let frames: PNGFrames?

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        self.file = file
        self.frame = frame
        header = try PNGHeader(file)
        frames = header.isAnimated ? PNGFrames(file, header.size) : nil
    }

    var size: ImageSize { header.size }
    var orientation: Orientation { header.orientation }
    var isAnimated: Bool { header.isAnimated }
    var frameCount: Int { 1 + (frames?.others.count ?? 0) }
    /// The picture, the picture before, and a frame.
    var decodingBytesPerPixel: Int { frame == 0 ? 3 : 13 }
    var pixelDescription: String { header.pixelDescription }

    var colorProfile: [UInt8]? {
        guard header.hasProfile else { return nil }
        var profile = [UInt8](repeating: 0, count: Int(PNGReadingProfileCapacity))
        let count = PNGReadingColorProfile(
            file.buffer.bindMemory(to: UInt8.self).baseAddress, file.count, &profile, profile.count)
        return count > 0 ? Array(profile.prefix(count)) : nil
    }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        if options.putsOnGround, header.hasAlpha, frame == 0 { return try imageOnGround() }
        return try PNGDrawing(file, size, frames).image(ofFrame: frame)
    }

    private func imageOnGround() throws(ImageError) -> Image {
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
        let (file, size) = (file, size)
        let result = pixels.withUnsafeMutableBufferPointer { target in
            Result { () throws(ImageError) in try Self.decode(file, size, hasAlpha: true, to: target) }
        }
        try result.get()
        return try Image(onGround: &pixels, size, isGrey: header.isGrey)
    }

    func drawing() throws(ImageError) -> (any FrameDrawing)? { frames.map { PNGDrawing(file, size, $0) } }

    static func decode(
        _ file: Bytes, _ size: ImageSize, hasAlpha: Bool, to target: UnsafeMutableBufferPointer<UInt8>
    ) throws(ImageError) {
        var message = [CChar](repeating: 0, count: Int(PNGReadingMessageCapacity))
        let status = PNGReadingDecode(
            file.buffer.bindMemory(to: UInt8.self).baseAddress, file.count,
            UInt32(size.width), UInt32(size.height), hasAlpha ? 1 : 0, target.baseAddress, &message)
        try check(status, message)
    }

    /// The numbers of the pixels, row by row, as a mask of classes has them: levels of grey, or indices of the palette.
    ///
    /// - Throws: ``ImageError``, also for files of colors.
    func numbers() throws(ImageError) -> [UInt16] {
        var numbers = [UInt16](repeating: 0, count: size.width * size.height)
        var message = [CChar](repeating: 0, count: Int(PNGReadingMessageCapacity))
        let status = PNGReadingNumbers(
            file.buffer.bindMemory(to: UInt8.self).baseAddress, file.count,
            UInt32(size.width), UInt32(size.height), &numbers, &message)
        try Self.check(status, message)
        return numbers
    }

    private static func check(_ status: PNGReadingStatus, _ message: [CChar]) throws(ImageError) {
        if status == PNGReadingOK { return }
        let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        switch status {
        case PNGReadingTruncated: throw .truncated(text)
        case PNGReadingOutOfMemory: throw .outOfMemory
        default: throw .corrupt(text)
        }
    }
}
