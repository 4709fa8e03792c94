/// What a JPEG 2000 codestream says before its pixels.
///
/// Source: ITU-T T.800, annex A.
struct JPEG2000Codestream {
    let size: ImageSize
    let componentCount: Int
    let tileCount: Int
    /// The bits of a sample of the first component.
    let bits: Int
    /// The maximum bytes that the library takes for the precincts and code-blocks of a tile.
    let blockByteCount: Int

    /// The maximum number of tiles: the library keeps some kilobytes for each before it reads any.
    private static let maximumTileCount = 4096
    /// The maximum number of packets, each of which takes time even when it is empty.
    private static let maximumPacketCount = 1 << 24

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
        let codings = try Self.codings(stream)
        let tile = ImageSize(width: min(tileWidth, size.width), height: min(tileHeight, size.height))
        let tilePixels = (tile.pixelCount ?? .max).multipliedReportingOverflow(by: componentCount)
        // A picture that is too large is refused for its size.
        guard !tilePixels.overflow, tilePixels.partialValue < 1 << 40 else {
            blockByteCount = 0
            return
        }
        let bytes = codings.map { JPEG2000Blocks($0, tile).byteCount($0) }.max() ?? 0
        blockByteCount = bytes.multipliedReportingOverflow(by: componentCount).overflow ? .max : bytes * componentCount
        let packets = codings.map { JPEG2000Blocks($0, tile).precinctCount * $0.layerCount }.max() ?? 0
        guard packets <= Self.maximumPacketCount / (count * componentCount) || packets <= 1 << 12 else {
            throw .unsupported("JPEG 2000 with more than \(Self.maximumPacketCount) packets")
        }
    }

    /// Checks that the parts of tiles, which tell their lengths, are there up to the end marker.
    ///
    /// - Returns: All codings of components that the header of the file and those of tiles declare.
    private static func codings(_ stream: Bytes) throws(ImageError) -> [JPEG2000Blocks.Coding] {
        let cutOff = ImageError.truncated("it ends before its end marker")
        var codings: [JPEG2000Blocks.Coding] = []
        var layerCount = 1
        func readCoding(_ marker: Int, _ segment: Bytes) {
            guard let style = segment.byte(0) else { return }
            if marker == 0xFF52 {
                layerCount = max(layerCount, segment.integer(at: 1, byteCount: 2) ?? 1)
                if let coding = JPEG2000Blocks.Coding(segment, at: 5, hasPrecincts: style & 1 == 1) {
                    codings.append(coding)
                }
            } else if marker == 0xFF53, let style = segment.byte(1),
                let coding = JPEG2000Blocks.Coding(segment, at: 2, hasPrecincts: style & 1 == 1)
            {
                codings.append(coding)
            }
        }
        var offset = 2
        /// The end of the part of a tile whose header is read.
        var partEnd: Int?
        while let marker = stream.integer(at: offset, byteCount: 2), marker != 0xFFD9 {
            // The data of a part follow.
            if marker == 0xFF93, let end = partEnd {
                (offset, partEnd) = (end, nil)
                continue
            }
            guard let length = stream.integer(at: offset + 2, byteCount: 2) else { throw cutOff }
            if let end = partEnd, offset + 2 + length > end {
                (offset, partEnd) = (end, nil)
                continue
            }
            if marker == 0xFF90 {
                guard let partLength = stream.integer(at: offset + 6, byteCount: 4) else { throw cutOff }
                // 0 stands for the rest of the codestream.
                if partLength == 0, !stream.starts(with: [0xFF, 0xD9], at: stream.count - 2) { throw cutOff }
                guard partLength == 0 || partLength >= 12 else {
                    throw .corrupt("a part of a tile has \(partLength) bytes")
                }
                partEnd = partLength == 0 ? stream.count - 2 : offset + partLength
                guard length >= 2 else { throw .corrupt("a marker is missing") }
                offset += 2 + length
            } else {
                guard marker > 0xFF00, length >= 2 else { throw .corrupt("a marker is missing") }
                if let segment = stream.slice(offset + 4, count: length - 2) { readCoding(marker, segment) }
                offset += 2 + length
            }
        }
        guard offset + 2 <= stream.count else { throw cutOff }
        for index in codings.indices { codings[index].layerCount = layerCount }
        return codings
    }
}
