/// What a JPEG 2000 codestream says before its pixels.
///
/// Source: ITU-T T.800, annex A.
struct JPEG2000Codestream {
    let size: ImageSize
    let componentCount: Int
    let tileCount: Int
    /// The bits of a sample of the first component.
    let bits: Int

    /// The maximum number of tiles: the library keeps some kilobytes for each before it reads any.
    private static let maximumTileCount = 4096

    init(_ stream: Bytes) throws(ImageError) {
        guard stream.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) else { throw .corrupt("the codestream has no size") }
        func integer(_ offset: Int, _ count: Int = 4) throws(ImageError) -> Int {
            guard let value = stream.integer(at: offset, byteCount: count) else {
                throw .truncated("the header is incomplete")
            }
            return value
        }
        let (right, bottom) = (try integer(8), try integer(12))
        let (left, top) = (try integer(16), try integer(20))
        let (tileWidth, tileHeight) = (try integer(24), try integer(28))
        let (tileLeft, tileTop) = (try integer(32), try integer(36))
        componentCount = try integer(40, 2)
        bits = try integer(42, 1) & 0x7F + 1
        guard right > left, bottom > top, tileWidth > 0, tileHeight > 0, tileLeft <= left, tileTop <= top else {
            throw .corrupt("the codestream declares no pixels")
        }
        size = ImageSize(width: right - left, height: bottom - top)
        guard (1...4).contains(componentCount) else {
            throw .unsupported("JPEG 2000 with \(componentCount) components")
        }
        let columns = (right - tileLeft + tileWidth - 1) / tileWidth
        let rows = (bottom - tileTop + tileHeight - 1) / tileHeight
        let (count, overflow) = columns.multipliedReportingOverflow(by: rows)
        guard !overflow, count <= Self.maximumTileCount else {
            throw .unsupported("JPEG 2000 with more than \(Self.maximumTileCount) tiles")
        }
        tileCount = count
        try Self.checkParts(stream)
    }

    /// Checks that the parts of tiles, which tell their lengths, are there up to the end marker.
    private static func checkParts(_ stream: Bytes) throws(ImageError) {
        let cutOff = ImageError.truncated("it ends before its end marker")
        var offset = 2
        while let marker = stream.integer(at: offset, byteCount: 2), marker != 0xFFD9 {
            guard let length = stream.integer(at: offset + 2, byteCount: 2) else { throw cutOff }
            if marker == 0xFF90 {
                guard let partLength = stream.integer(at: offset + 6, byteCount: 4) else { throw cutOff }
                // 0 stands for the rest of the codestream.
                if partLength == 0 {
                    guard stream.starts(with: [0xFF, 0xD9], at: stream.count - 2) else { throw cutOff }
                    return
                }
                guard partLength >= 12 else { throw .corrupt("a part of a tile has \(partLength) bytes") }
                offset += partLength
            } else {
                guard marker > 0xFF00, length >= 2 else { throw .corrupt("a marker is missing") }
                offset += 2 + length
            }
        }
        guard offset + 2 <= stream.count else { throw cutOff }
    }
}
