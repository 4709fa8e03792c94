/// The kinds of file that are decoded.
enum FileKind {
    case jpeg, png

    private static let jpegSignature: [UInt8] = [0xFF, 0xD8, 0xFF]
    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Recognizes a file by its first bytes.
    init(of file: Bytes) throws(ImageError) {
        guard file.count > 0 else { throw .empty }
        for (kind, signature) in [(FileKind.jpeg, Self.jpegSignature), (.png, Self.pngSignature)] {
            if file.starts(with: signature) {
                self = kind
                return
            }
            if file.count < signature.count, signature.starts(with: file.buffer) {
                throw .truncated("only \(file.count) bytes are left")
            }
        }
        if let name = Self.unsupportedImage(file) { throw .unsupported(name) }
        throw .unrecognized(Self.lookalike(file))
    }

    private static func unsupportedImage(_ file: Bytes) -> String? {
        if file.starts(with: "RIFF"), file.starts(with: "WEBP", at: 8) { return "WebP" }
        if file.starts(with: "ftyp", at: 4) {
            let brands = ["avif": "AVIF", "avis": "AVIF", "heic": "HEIC", "heix": "HEIC", "mif1": "HEIF"]
            return brands.first { file.starts(with: $0.key, at: 8) }?.value
        }
        // Text may begin with "BM" too. In a bitmap, one of the known header lengths follows at byte 14.
        let headerLength = file.integer(at: 14, byteCount: 4, bigEndian: false)
        if file.starts(with: "BM"), [12, 40, 52, 56, 64, 108, 124].contains(headerLength) { return "BMP" }
        let signatures: [([UInt8], String)] = [
            (Array("GIF87a".utf8), "GIF"), (Array("GIF89a".utf8), "GIF"),
            ([0x49, 0x49, 0x2A, 0x00], "TIFF"), ([0x4D, 0x4D, 0x00, 0x2A], "TIFF"),
            ([0x00, 0x00, 0x01, 0x00], "ICO"),
            (Array("8BPS".utf8), "Photoshop"),
            ([0xFF, 0x0A], "JPEG XL"), ([0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "JPEG XL"),
            ([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"), ([0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20], "JPEG 2000"),
        ]
        return signatures.first { file.starts(with: $0.0) }?.1
    }

    private static func lookalike(_ file: Bytes) -> String {
        let signatures: [([UInt8], String)] = [
            (Array("version https://git-lfs".utf8), "a Git LFS pointer"),
            (Array("%PDF-".utf8), "PDF"),
            ([0x50, 0x4B, 0x03, 0x04], "a zip archive"),
            ([0x1F, 0x8B], "gzip data"),
            (Array("\u{93}NUMPY".unicodeScalars.map { UInt8($0.value) }), "a NumPy array"),
        ]
        if let name = signatures.first(where: { file.starts(with: $0.0) })?.1 { return name }
        let start = file.buffer.prefix(512)
        let text = String(decoding: start, as: UTF8.self).lowercased().drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") { return "an HTML page" }
        if text.contains("<svg") { return "SVG" }
        if text.hasPrefix("<?xml") { return "XML" }
        if text.hasPrefix("{") || text.hasPrefix("[") { return "JSON" }
        if start.allSatisfy({ $0 == 0 }) { return "zeros" }
        return start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) } ? "text" : "unknown data"
    }
}
