/// The chunks of a WebP file.
///
/// Source: https://developers.google.com/speed/webp/docs/riff_container
struct WebPFile {
    /// The file without what follows its last chunk.
    let file: Bytes
    let size: ImageSize
    let isAnimated: Bool
    let isLossless: Bool
    let hasAlpha: Bool
    let frameCount: Int
    let exif: Bytes?
    let xmp: Bytes?
    let colorProfile: Bytes?

    init(_ whole: Bytes) throws(ImageError) {
        guard let length = whole.integer(at: 4, byteCount: 4, bigEndian: false), whole.count >= 30 else {
            throw .truncated("the header is incomplete")
        }
        guard let file = whole.slice(0, count: min(whole.count, length + 8)), file.count >= 30 else {
            throw .corrupt("the file declares a length of \(length) bytes")
        }
        guard length + 8 <= whole.count else {
            throw .truncated("it has \(whole.count) of \(length + 8) bytes")
        }
        self.file = file
        var (exif, xmp, colorProfile) = (Bytes?.none, Bytes?.none, Bytes?.none)
        var frameCount = 0
        var isLossless = false
        var offset = 12
        while let count = file.integer(at: offset + 4, byteCount: 4, bigEndian: false) {
            guard let content = file.slice(offset + 8, count: count) else {
                throw .truncated("a chunk reaches beyond the end")
            }
            if file.starts(with: "EXIF", at: offset), exif == nil { exif = content }
            if file.starts(with: "XMP ", at: offset), xmp == nil { xmp = content }
            if file.starts(with: "ICCP", at: offset), colorProfile == nil { colorProfile = content }
            if file.starts(with: "ANMF", at: offset) { frameCount += 1 }
            if file.starts(with: "VP8L", at: offset) { isLossless = true }
            offset += 8 + count + count % 2
        }
        (self.exif, self.xmp, self.colorProfile) = (exif, xmp, colorProfile)
        self.frameCount = frameCount
        self.isLossless = isLossless
        let flags = file.starts(with: "VP8X", at: 12) ? file.byte(20) ?? 0 : 0
        isAnimated = flags & 0x02 != 0
        hasAlpha = flags & 0x10 != 0 || Self.losslessHeader(file).map { $0 >> 28 & 1 == 1 } ?? false
        size = try Self.size(file)
    }

    private static func size(_ file: Bytes) throws(ImageError) -> ImageSize {
        func integer(_ offset: Int, _ count: Int) -> Int? {
            file.integer(at: offset, byteCount: count, bigEndian: false)
        }
        if file.starts(with: "VP8X", at: 12), let width = integer(24, 3), let height = integer(27, 3) {
            return ImageSize(width: width + 1, height: height + 1)
        }
        if let header = losslessHeader(file) {
            return ImageSize(width: header & 0x3FFF + 1, height: header >> 14 & 0x3FFF + 1)
        }
        if file.starts(with: "VP8 ", at: 12), file.starts(with: [0x9D, 0x01, 0x2A], at: 23),
            let width = integer(26, 2), let height = integer(28, 2), width & 0x3FFF > 0, height & 0x3FFF > 0
        {
            return ImageSize(width: width & 0x3FFF, height: height & 0x3FFF)
        }
        throw .corrupt("the first chunk holds no picture")
    }

    /// The bits of size and alpha of a lossless picture that is the first chunk.
    private static func losslessHeader(_ file: Bytes) -> Int? {
        guard file.starts(with: "VP8L", at: 12), file.byte(20) == 0x2F else { return nil }
        return file.integer(at: 21, byteCount: 4, bigEndian: false)
    }
}
