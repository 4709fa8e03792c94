/// BMP, with palettes, bit fields and run lengths.
///
/// Source: https://learn.microsoft.com/windows/win32/gdi/bitmap-storage
struct BitmapDecoder: PictureDecoder {
    static let name = "BMP"
    static let fileExtensions: Set<String> = ["bmp", "dib"]
    static let signatures = [[UInt8?].text("BM")]

    private let file: Bytes
    private let header: BitmapHeader

    /// Text may begin with `BM` too. In a bitmap, one of the known header lengths follows at byte 14.
    static func accepts(_ file: Bytes) -> Bool { BitmapHeader.lengths.contains(BitmapHeader.length(file)) }

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        self.file = file
        header = try BitmapHeader(file)
    }

    var size: ImageSize { header.size }
    var orientation: Orientation { .upright }
    var decodingBytesPerPixel: Int { header.isRunLength ? 4 : 3 }
    var pixelDescription: String { header.bits <= 8 ? "\(header.bits)-bit palette" : "\(header.bits)-bit color" }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        if header.bits <= 8 {
            let indices = header.isRunLength ? try BitmapRuns(file, header).indices : try unpackedIndices()
            return Image(palette: header.palette, indices: indices, size)
        }
        return try Image(size) { (target) throws(ImageError) in
            for row in 0..<size.height {
                let source = try self.row(row)
                for column in 0..<size.width {
                    let place = (row * size.width + column) * 3
                    (target[place], target[place + 1], target[place + 2]) = color(source, column)
                }
            }
        }
    }

    /// The bytes of a row, counted from the top.
    private func row(_ row: Int) throws(ImageError) -> UnsafeRawBufferPointer {
        let stored = header.isTopDown ? row : size.height - 1 - row
        guard let bytes = file.slice(header.pixelOffset + stored * header.rowByteCount, count: header.usedRowByteCount)
        else { throw .truncated("the rows of pixels are incomplete") }
        return bytes.buffer
    }

    private func color(_ row: UnsafeRawBufferPointer, _ column: Int) -> (UInt8, UInt8, UInt8) {
        if header.bits == 16 {
            let pixel = Int(row[column * 2]) | Int(row[column * 2 + 1]) << 8
            let greenMaximum = header.hasSixGreenBits ? 63 : 31
            let red = pixel >> (header.hasSixGreenBits ? 11 : 10) & 31
            return (
                UInt8(red * 255 / 31), UInt8((pixel >> 5 & greenMaximum) * 255 / greenMaximum),
                UInt8((pixel & 31) * 255 / 31)
            )
        }
        let start = column * header.bits / 8
        return (row[start + header.order.red], row[start + header.order.green], row[start + header.order.blue])
    }

    private func unpackedIndices() throws(ImageError) -> [UInt8] {
        var indices: [UInt8] = []
        indices.reserveCapacity(size.width * size.height)
        let (perByte, mask) = (8 / header.bits, UInt8(1 << header.bits &- 1))
        for row in 0..<size.height {
            let source = try self.row(row)
            for column in 0..<size.width {
                let shift = 8 - header.bits * (column % perByte + 1)
                indices.append(source[column / perByte] >> UInt8(shift) & mask)
            }
        }
        return indices
    }
}

extension Image {
    /// The 256 colors of a palette of red, green, blue. Those that it lacks are black, as in Pillow 13; indices of a
    /// palette that maps each to itself are grey values.
    static func colors(ofPalette palette: [UInt8]) -> [UInt8] {
        let count = min(768, palette.count / 3 * 3)
        let isRamp = (0..<count).allSatisfy { Int(palette[$0]) == $0 / 3 }
        let rest = (count..<768).map { isRamp ? UInt8($0 / 3) : 0 }
        return palette[..<count] + rest
    }

    /// Makes an image from indices of a palette of red, green, blue.
    init(palette: [UInt8], indices: [UInt8], _ size: ImageSize) {
        let colors = Self.colors(ofPalette: palette)
        self = Image(size) { target in
            for (pixel, index) in indices.prefix(size.width * size.height).enumerated() {
                for channel in 0..<3 { target[pixel * 3 + channel] = colors[Int(index) * 3 + channel] }
            }
        }
    }
}
