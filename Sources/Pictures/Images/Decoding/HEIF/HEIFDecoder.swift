import CPictures

/// HEIC and AVIF, through libheif. Turns and mirrors of the file belong to its pixels, and are always applied; what
/// EXIF says about the orientation repeats them.
struct HEIFDecoder: PictureDecoder {
    static let name = "HEIC and AVIF"
    static let fileExtensions: Set<String> = ["heic", "heif", "hif", "avif"]
    static let signatures = [[0, 0, 0, nil] + [UInt8?].text("ftyp")]

    private static let eitherKind = "HEIC or AVIF"

    private static let library: Result<PictureLibrary<apus_heif>, ImageError> = {
        let found = PictureLibrary.find(
            apus_heif(), for: eitherKind, "libheif.so.1", package: "libheif1", apus_heif_load)
        return found.flatMap { library in
            guard library.functions.heif_get_version_number() >= apus_heif_oldest_version else {
                return .failure(.missingLibrary(kind: eitherKind, library: "libheif 1.15.1", package: "libheif1"))
            }
            return found
        }
    }()
    static var missingLibraries: [ImageError] { [library.error].compactMap(\.self) }

    private static let brands: Set = [
        "avif", "avis", "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1",
    ]

    let kind: String
    private let picture: HEIFPicture
    private let largest: ImageSize?
    private let functions: apus_heif
    private let isPremultiplied: Bool
    /// How the picture is coded; nil where the library converts samples to colors.
    private let coding: HEIFCoding?

    static func accepts(_ file: Bytes) -> Bool { fileBrands(file).contains(where: brands.contains) }

    /// The brands that a file names: the major one, and those with which it is compatible.
    private static func fileBrands(_ file: Bytes) -> [String] {
        let length = min(file.integer(at: 0, byteCount: 4) ?? 0, 256)
        return stride(from: 8, to: length, by: 4).filter { $0 != 12 }.compactMap { offset in
            file.slice(offset, count: 4).map { String(decoding: $0.buffer, as: UTF8.self) }
        }
    }

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        let isAVIF = Self.fileBrands(file).contains { $0 == "avif" || $0 == "avis" }
        kind = isAVIF ? "AVIF" : "HEIC"
        // Some cameras append what is no box. Whether a file is cut off, the places of its items tell.
        let (boxes, failure) = BoxWalk.wholeBoxes(of: file)
        let contents = try HEIFContents(boxes)
        if let failure, !contents.isComplete { throw failure }
        largest = try HEIFItems(contents).largest
        functions = try Self.library.get().functions
        picture = try HEIFPicture(boxes, functions)
        isPremultiplied = contents.isPremultiplied
        coding = HEIFCoding(
            contents, isTakenForColors: functions.heif_get_version_number() < apus_heif_version_of_planes)
    }

    var size: ImageSize { picture.size }
    /// A picture may be cut out of a larger one.
    var decodedSize: ImageSize {
        guard let largest, largest.pixelCount ?? .max > picture.size.pixelCount ?? .max else { return picture.size }
        return largest
    }
    var orientation: Orientation { .upright }
    /// The copy of the file that asks for samples.
    var decodingByteCount: Int { coding?.file.count ?? 0 }
    /// Planes of 16 bits, their conversion, and the result.
    var decodingBytesPerPixel: Int { (picture.bits > 8 ? 18 : 9) + (isPremultiplied ? 1 : 0) }
    var pixelDescription: String { "\(picture.bits)-bit color\(picture.hasAlpha ? " with alpha" : "")" }
    var colorProfile: [UInt8]? { picture.colorProfile }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        guard let coding else { return try picture.decoded(isPremultiplied: isPremultiplied) }
        let result = coding.file.withUnsafeBytes { buffer in
            Result { () throws(ImageError) in try HEIFPicture(Bytes(buffer), functions).decoded(coding) }
        }
        var image = try result.get()
        for change in coding.changes { image = try change.applied(to: image) }
        guard image.size == size else { throw .corrupt("the size of the picture is declared twice, differently") }
        return image
    }
}
