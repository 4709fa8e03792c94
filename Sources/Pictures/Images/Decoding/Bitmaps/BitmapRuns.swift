/// The indices of a BMP file that is compressed by run lengths.
struct BitmapRuns {
    /// The index of every pixel, from the top left. Pixels that no run covers are 0.
    private(set) var indices: [UInt8]

    private let size: ImageSize
    private let isTopDown: Bool
    private var (column, row) = (0, 0)

    init(_ file: Bytes, _ header: BitmapHeader) throws(ImageError) {
        size = header.size
        isTopDown = header.isTopDown
        indices = [UInt8](repeating: 0, count: size.width * size.height)
        var offset = header.pixelOffset
        func next() throws(ImageError) -> UInt8 {
            guard let byte = file.byte(offset) else { throw .truncated("the runs of pixels are incomplete") }
            offset += 1
            return byte
        }
        let isNibbles = header.bits == 4
        while row < size.height {
            let (count, value) = (try next(), try next())
            switch (count, value) {
            case (0, 0): (column, row) = (0, row + 1)
            case (0, 1): return
            case (0, 2):
                column += Int(try next())
                row += Int(try next())
            case (0, _):
                let start = offset
                for index in 0..<Int(value) {
                    let byte = isNibbles && index % 2 == 1 ? file.byte(offset - 1) ?? 0 : try next()
                    put(isNibbles ? (index % 2 == 0 ? byte >> 4 : byte & 0xF) : byte)
                }
                offset += (offset - start) % 2
            default:
                for index in 0..<min(Int(count), max(0, size.width - column)) {
                    put(isNibbles ? (index % 2 == 0 ? value >> 4 : value & 0xF) : value)
                }
            }
            // Some files end a full last row without an end of the bitmap.
            if row == size.height - 1, column >= size.width { return }
        }
    }

    /// Writes the next pixel of the row; those beyond its end are dropped.
    private mutating func put(_ index: UInt8) {
        if column < size.width, row < size.height {
            indices[(isTopDown ? row : size.height - 1 - row) * size.width + column] = index
        }
        column += 1
    }
}
