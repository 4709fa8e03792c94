/// The properties of a BMP file that precede its pixels.
struct BitmapHeader {
    /// The lengths of the headers of Windows and OS/2.
    static let lengths: Set = [12, 40, 52, 56, 64, 108, 124]

    let size: ImageSize
    let bits: Int
    let isTopDown: Bool
    let isRunLength: Bool
    let pixelOffset: Int
    /// Red, green, blue.
    let palette: [UInt8]
    /// The places of the channels in a pixel of 24 or 32 bits.
    let order: (red: Int, green: Int, blue: Int)
    let hasSixGreenBits: Bool

    static func length(_ file: Bytes) -> Int { file.integer(at: 14, byteCount: 4, bigEndian: false) ?? 0 }

    /// The distance between rows, which is a multiple of 4 bytes.
    var rowByteCount: Int { (size.width * bits + 31) / 32 * 4 }
    var usedRowByteCount: Int { (size.width * bits + 7) / 8 }

    init(_ file: Bytes) throws(ImageError) {
        let length = Self.length(file)
        func integer(_ offset: Int, _ byteCount: Int) throws(ImageError) -> Int {
            guard let value = file.integer(at: offset, byteCount: byteCount, bigEndian: false) else {
                throw .truncated("the header is incomplete")
            }
            return value
        }
        let isCore = length == 12
        let width = try isCore ? integer(18, 2) : integer(18, 4)
        var height = try isCore ? integer(20, 2) : integer(22, 4)
        isTopDown = !isCore && file.byte(25) == 0xFF
        if isTopDown { height = 1 << 32 - height }
        guard width > 0, height > 0 else { throw .corrupt("the header declares \(width)x\(height) pixels") }
        size = ImageSize(width: width, height: height)
        bits = try integer(isCore ? 24 : 28, 2)
        let compression = try isCore ? 0 : integer(30, 4)
        isRunLength = compression == 1 && bits == 8 || compression == 2 && bits == 4
        guard [1, 4, 8, 16, 24, 32].contains(bits) else { throw .unsupported("BMP with \(bits) bits per pixel") }
        guard compression == 0 || isRunLength || compression == 3 && bits > 8 else {
            throw .unsupported("BMP with compression \(compression) of \(bits) bits")
        }
        var masks: [Int] = []
        if compression == 3 {
            for index in 0..<3 { masks.append(try integer(54 + 4 * index, 4)) }
        }
        (order, hasSixGreenBits) = try Self.order(bits, masks)
        let paletteStart = 14 + length + (masks.isEmpty || length >= 52 ? 0 : 12)
        let declared = try isCore ? 0 : integer(46, 4)
        let colorCount = declared > 0 ? declared : 1 << bits
        let entryByteCount = isCore ? 3 : 4
        if bits <= 8 {
            guard colorCount <= 65_536 else { throw .corrupt("the palette has \(colorCount) colors") }
            palette = (0..<min(256, colorCount)).flatMap { index -> [UInt8] in
                let entry = paletteStart + index * entryByteCount
                return [2, 1, 0].map { file.byte(entry + $0) ?? 0 }
            }
        } else {
            palette = []
        }
        // Some writers give the offset of the palette.
        var offset = try integer(10, 4)
        if bits <= 8, offset == 14 + length || offset == 0 { offset = paletteStart + entryByteCount * colorCount }
        pixelOffset = offset > 0 ? offset : paletteStart
    }

    /// The order of channels by their masks.
    private static func order(
        _ bits: Int, _ masks: [Int]
    ) throws(ImageError) -> ((red: Int, green: Int, blue: Int), Bool) {
        if masks.isEmpty || masks == [0, 0, 0] && bits == 32 { return ((2, 1, 0), false) }
        if bits == 16 {
            if masks == [0xF800, 0x7E0, 0x1F] { return ((0, 0, 0), true) }
            if masks == [0x7C00, 0x3E0, 0x1F] { return ((0, 0, 0), false) }
        } else {
            let places = masks.map { mask in (0..<bits / 8).first { mask == 0xFF << (8 * $0) } }
            if let red = places[0], let green = places[1], let blue = places[2] { return ((red, green, blue), false) }
        }
        throw .unsupported("BMP with bit fields of another layout")
    }
}
