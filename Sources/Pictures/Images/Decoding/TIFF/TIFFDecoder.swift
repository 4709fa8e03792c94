import CPictures

/// TIFF, through libtiff. Its pages are pictures of their own.
struct TIFFDecoder: PictureDecoder {
    static let name = "TIFF"
    static let fileExtensions: Set<String> = ["tif", "tiff"]
    /// In either order of bytes, with offsets of 32 or of 64 bits.
    static let signatures: [[UInt8?]] = [
        [0x49, 0x49, 0x2A, 0x00], [0x4D, 0x4D, 0x00, 0x2A], [0x49, 0x49, 0x2B, 0x00], [0x4D, 0x4D, 0x00, 0x2B],
    ]

    private static let library = PictureLibrary.find(
        apus_tiff(), for: name, "libtiff.so.6", package: "libtiff6", apus_tiff_load)
    static var missingLibraries: [ImageError] { [library.error].compactMap(\.self) }

    let frameCount: Int
    private let page: TIFFPage

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        try self.init(file, frame: frame, TIFFPages(file))
    }

    /// - Parameter pages: The pages of the file.
    init(_ file: Bytes, frame: Int, _ pages: TIFFPages) throws(ImageError) {
        frameCount = max(1, pages.directories.count)
        let isThere = pages.directories.indices.contains(frame)
        let directory = isThere ? pages.directories[frame] : 0
        page = try TIFFPage(file, directoryAt: isThere ? pages.offsets[frame] : 0, try Self.library.get().functions)
        // Without the palette, the library takes the indices as grey.
        guard page.fields.photometric == 3 || !pages.withPalette.contains(directory) else {
            throw .truncated("the palette is incomplete")
        }
    }

    /// The first page is a picture like the others, not the first moment of an animation.
    var isAnimated: Bool { false }
    var size: ImageSize { page.size }
    var orientation: Orientation { page.orientation }
    var decodingBytesPerPixel: Int { 3 + max(4, (Int(page.fields.samples) * Int(page.fields.bits) + 7) / 8) }
    var colorProfile: [UInt8]? { page.colorProfile }

    var pixelDescription: String {
        let colors = [0: "grey", 1: "grey", 2: "RGB", 3: "palette", 5: "CMYK", 6: "YCbCr"]
        return "\(page.fields.bits)-bit \(colors[Int(page.fields.photometric)] ?? "color")"
    }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        var image =
            switch try TIFFLayout(page.fields) {
            case .converted: try page.convertedImage()
            case .samples(let samples): try page.image(samples)
            }
        image.warning = page.warning
        return image
    }
}
