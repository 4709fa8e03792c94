/// PBM, PGM and PPM: bits, grey and color of Netpbm, as text or as bytes.
///
/// Source: https://netpbm.sourceforge.net/doc/ppm.html
struct PortableMapDecoder: PictureDecoder {
    static let name = "PNM"
    static let fileExtensions: Set<String> = ["pbm", "pgm", "ppm", "pnm"]
    static let signatures = (1...6).map { [UInt8?].text("P\($0)") }

    let size: ImageSize
    private let file: Bytes
    private let kind: Int
    private let maximum: Int
    private let pixelOffset: Int

    /// The number of the kind is followed by white space, or by a comment.
    static func accepts(_ file: Bytes) -> Bool {
        file.byte(2).map { PortableMapText.isSpace($0) || $0 == UInt8(ascii: "#") } ?? false
    }

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        self.file = file
        kind = Int(file.byte(1) ?? 0) - Int(UInt8(ascii: "0"))
        var text = PortableMapText(file, at: 2)
        let (width, height) = (try text.number(), try text.number())
        guard width > 0, height > 0 else { throw .corrupt("the header declares \(width)x\(height) pixels") }
        size = ImageSize(width: width, height: height)
        maximum = kind == 1 || kind == 4 ? 1 : try text.number()
        guard (1..<65_536).contains(maximum) else { throw .corrupt("the header declares samples up to \(maximum)") }
        // One white space follows the header.
        pixelOffset = text.offset + 1
    }

    var orientation: Orientation { .upright }
    var decodingBytesPerPixel: Int { 3 }

    var pixelDescription: String {
        let colors = isBits ? "black and white" : sampleCount == 1 ? "grey" : "RGB"
        return "\(isBits ? 1 : maximum > 255 ? 16 : 8)-bit \(colors)"
    }

    private var isBits: Bool { kind == 1 || kind == 4 }
    private var sampleCount: Int { kind == 3 || kind == 6 ? 3 : 1 }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        let samples = kind <= 3 ? textSamples : kind == 4 ? bitSamples : byteSamples
        let levels = self.levels
        return try Image(size) { (target) throws(ImageError) in
            var next = 0
            try samples { (value) throws(ImageError) in
                guard value <= maximum else { throw .corrupt("a sample is \(value), above \(maximum)") }
                for _ in 0..<3 / sampleCount {
                    target[next] = levels[value]
                    next += 1
                }
            }
        }
    }

    private typealias Receiver = (Int) throws(ImageError) -> Void

    /// The 8 bits of every sample. Deep grey is scaled to 16 bits and keeps its high byte, as that of PNG does.
    private var levels: [UInt8] {
        // A bit of 1 is black.
        if isBits { return [255, 0] }
        let isDeepGrey = sampleCount == 1 && maximum > 255
        return (0...maximum).map { value in
            let scaled = (Double(value) / Double(maximum) * (isDeepGrey ? 65_535 : 255)).rounded(.toNearestOrEven)
            return UInt8(clamping: isDeepGrey ? Int(scaled) >> 8 : Int(scaled))
        }
    }

    private func textSamples(_ receive: Receiver) throws(ImageError) {
        var text = PortableMapText(file, at: pixelOffset - 1)
        for _ in 0..<size.width * size.height * sampleCount {
            try receive(isBits ? try text.digit() : try text.number())
        }
    }

    private func bitSamples(_ receive: Receiver) throws(ImageError) {
        let rowByteCount = (size.width + 7) / 8
        for row in 0..<size.height {
            let bytes = try bytes(pixelOffset + row * rowByteCount, rowByteCount)
            for column in 0..<size.width { try receive(Int(bytes[column / 8] >> UInt8(7 - column % 8) & 1)) }
        }
    }

    private func byteSamples(_ receive: Receiver) throws(ImageError) {
        let (count, width) = (size.width * sampleCount, maximum > 255 ? 2 : 1)
        for row in 0..<size.height {
            let bytes = try bytes(pixelOffset + row * count * width, count * width)
            for index in 0..<count {
                let sample =
                    width == 1 ? Int(bytes[index]) : Int(bytes[index * 2]) << 8 | Int(bytes[index * 2 + 1])
                // Pillow takes samples above the declared maximum as the maximum.
                try receive(min(sample, maximum))
            }
        }
    }

    private func bytes(_ offset: Int, _ count: Int) throws(ImageError) -> UnsafeRawBufferPointer {
        guard let bytes = file.slice(offset, count: count) else {
            throw .truncated("the rows of pixels are incomplete")
        }
        return bytes.buffer
    }
}

/// The numbers of a header, or of pixels that are text. Comments reach from `#` to the end of the line.
struct PortableMapText {
    private let file: Bytes
    /// The offset behind what has been read.
    private(set) var offset: Int

    init(_ file: Bytes, at offset: Int) {
        self.file = file
        self.offset = offset
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Reads a number of at most ten digits.
    mutating func number() throws(ImageError) -> Int {
        var value = try digit()
        var count = 1
        while let byte = file.byte(offset), (0x30...0x39).contains(byte) {
            count += 1
            guard count <= 10 else { throw .corrupt("a number has more than ten digits") }
            value = value * 10 + Int(byte - 0x30)
            offset += 1
        }
        return value
    }

    /// Reads one digit.
    mutating func digit() throws(ImageError) -> Int {
        try passOverSpace()
        guard let byte = file.byte(offset) else { throw .truncated("the numbers are incomplete") }
        guard (0x30...0x39).contains(byte) else { throw .corrupt("a number has other characters than digits") }
        offset += 1
        return Int(byte - 0x30)
    }

    private mutating func passOverSpace() throws(ImageError) {
        while let byte = file.byte(offset) {
            if byte == UInt8(ascii: "#") {
                while let byte = file.byte(offset), byte != 0x0A, byte != 0x0D { offset += 1 }
            } else if !Self.isSpace(byte) {
                return
            }
            offset += 1
        }
    }
}
