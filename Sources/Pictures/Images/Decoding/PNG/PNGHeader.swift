/// The properties of a PNG file that precede its pixels.
///
/// Source: PNG specification, third edition, sections 5 and 11.
struct PNGHeader {
    let size: ImageSize
    let orientation: Orientation
    /// Whether the file has frames of an animation.
    let isAnimated: Bool
    /// Whether the file has a color profile.
    let hasProfile: Bool
    /// Whether pixels or colors of the palette have alpha.
    let hasAlpha: Bool
    let isGrey: Bool
    /// What a pixel is stored as.
    let pixelDescription: String

    private static let firstChunk = 8

    init(_ file: Bytes) throws(ImageError) {
        guard let length = file.integer(at: Self.firstChunk, byteCount: 4), file.count >= Self.firstChunk + 25 else {
            throw .truncated("the header chunk is incomplete")
        }
        if file.starts(with: "CgBI", at: Self.firstChunk + 4) {
            throw .unsupported("PNG in Apple's form for iOS (CgBI)")
        }
        guard length == 13, file.starts(with: "IHDR", at: Self.firstChunk + 4),
            let width = file.integer(at: Self.firstChunk + 8, byteCount: 4),
            let height = file.integer(at: Self.firstChunk + 12, byteCount: 4)
        else {
            throw .corrupt("the first chunk is not the header of a picture")
        }
        guard width > 0, height > 0, max(width, height) <= Int32.max else {
            throw .corrupt("the header declares \(width)x\(height) pixels")
        }
        size = ImageSize(width: width, height: height)
        let depth = file.byte(Self.firstChunk + 16) ?? 0
        let colors = [0: "grey", 2: "RGB", 3: "palette", 4: "grey with alpha", 6: "RGB with alpha"]
        pixelDescription = "\(depth)-bit \(colors[Int(file.byte(Self.firstChunk + 17) ?? 0)] ?? "color")"
        var (offset, metadata, isAnimated) = (Self.firstChunk, PNGMetadata(), false)
        var hasProfile = false
        var hasTransparency = false
        while let length = file.integer(at: offset, byteCount: 4), !file.starts(with: "IEND", at: offset + 4) {
            if file.starts(with: "acTL", at: offset + 4) { isAnimated = true }
            if file.starts(with: "tRNS", at: offset + 4) { hasTransparency = true }
            if file.starts(with: "iCCP", at: offset + 4) { hasProfile = true }
            if let type = file.slice(offset + 4, count: 4), let content = file.slice(offset + 8, count: length) {
                metadata.add(String(decoding: type.buffer, as: UTF8.self), content)
            }
            offset += length + 12
        }
        orientation = metadata.orientation
        self.isAnimated = isAnimated
        self.hasProfile = hasProfile
        let kind = file.byte(Self.firstChunk + 17)
        isGrey = kind == 0 || kind == 4
        hasAlpha = kind == 4 || kind == 6 || kind == 3 && hasTransparency
    }
}
