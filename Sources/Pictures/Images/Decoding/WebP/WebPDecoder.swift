import CPictures

/// WebP, through libwebp, and animations through libwebpdemux, which puts frames together.
struct WebPDecoder: PictureDecoder {
    static let name = "WebP"
    static let fileExtensions: Set<String> = ["webp"]
    static let signatures = [[UInt8?].text("RIFF") + [nil, nil, nil, nil] + .text("WEBP")]

    private static let library = PictureLibrary.find(
        apus_webp(), for: name, "libwebp.so.7", package: "libwebp7", apus_webp_load)
    private static let animations = PictureLibrary.find(
        apus_webp_demux(), for: "animated WebP", "libwebpdemux.so.2", package: "libwebpdemux2", apus_webp_demux_load)
    static var missingLibraries: [ImageError] { [library.error, animations.error].compactMap(\.self) }

    private let file: Bytes
    private let structure: WebPFile
    private let frame: Int

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        structure = try WebPFile(file)
        self.file = structure.file
        self.frame = frame
    }

    var size: ImageSize { structure.size }
    var orientation: Orientation { Orientation(exif: structure.exif, xmp: structure.xmp) }
    var frameCount: Int { max(1, structure.frameCount) }
    var colorProfile: [UInt8]? { structure.colorProfile?.copied }
    var pixelDescription: String { "8-bit RGB\(structure.hasAlpha ? " with alpha" : "")" }

    /// A lossless picture is decoded to 4 bytes for each pixel; an animation has two canvases of these.
    var decodingBytesPerPixel: Int { structure.isAnimated ? 15 : 3 + (structure.isLossless ? 5 : 1) }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        let isOnGround = options.putsOnGround && structure.hasAlpha && frame == 0
        if structure.isAnimated {
            let drawing = try WebPDrawing(file, size, Self.animations.get().functions)
            drawing.isOnGround = isOnGround
            return try drawing.image(ofFrame: frame)
        }
        let functions = try Self.library.get().functions
        let bytes = file.buffer.bindMemory(to: UInt8.self).baseAddress
        var (width, height) = (Int32(0), Int32(0))
        guard functions.WebPGetInfo(bytes, file.count, &width, &height) != 0 else {
            throw .corrupt("the header of the pixels cannot be read")
        }
        guard width == size.width, height == size.height else {
            throw .corrupt("the size of the picture is declared twice, differently")
        }
        if isOnGround {
            var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
            let isDecoded = pixels.withUnsafeMutableBufferPointer { target in
                functions.WebPDecodeRGBAInto(
                    bytes, file.count, target.baseAddress, target.count, Int32(size.width * 4)) != nil
            }
            guard isDecoded else { throw .corrupt("the pixels cannot be decoded") }
            return try Image(onGround: &pixels, size, isGrey: false)
        }
        return try Image(size) { (target) throws(ImageError) in
            guard
                functions.WebPDecodeRGBInto(
                    bytes, file.count, target.baseAddress, target.count, Int32(size.width * 3)) != nil
            else { throw .corrupt("the pixels cannot be decoded") }
        }
    }

    func drawing() throws(ImageError) -> (any FrameDrawing)? {
        structure.isAnimated ? try WebPDrawing(file, size, Self.animations.get().functions) : nil
    }
}
