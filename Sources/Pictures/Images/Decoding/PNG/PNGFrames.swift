/// The frames of an animated PNG file.
///
/// Source: PNG specification, third edition, section 11.3.6.
struct PNGFrames {
    enum Disposal: Int {
        case none, background, previous
    }

    struct Frame {
        let (left, top): (Int, Int)
        let size: ImageSize
        let disposal: Disposal
        /// Whether transparent pixels show what is there; otherwise they replace it.
        let blends: Bool
        /// The places of the compressed rows.
        var data: [Range<Int>] = []
    }

    /// All frames but the first, which is the picture that every reader of PNG shows.
    private(set) var others: [Frame] = []
    /// What happens to the first frame's pixels before the second is drawn; nil when the first picture does not
    /// belong to the animation.
    private(set) var firstDisposal: Disposal?

    /// The places of whole chunks that all frames need: palette and transparency.
    private var shared: [Range<Int>] = []
    private let canvas: ImageSize
    private let depth: [UInt8]

    init(_ file: Bytes, _ canvas: ImageSize) {
        self.canvas = canvas
        depth = file.slice(24, count: 5)?.copied ?? []
        var offset = 8
        while let length = file.integer(at: offset, byteCount: 4), length <= file.count - offset {
            let content = offset + 8..<offset + 8 + length
            if file.starts(with: "fcTL", at: offset + 4) {
                guard let frame = Self.frame(file, content.lowerBound, canvas) else { return }
                if hasPicture { others.append(frame) } else { firstDisposal = frame.disposal }
            } else if file.starts(with: "IDAT", at: offset + 4) {
                hasPicture = true
            } else if file.starts(with: "fdAT", at: offset + 4), length > 4, let last = others.indices.last {
                guard Self.isIntact(file, offset, length) else { return }
                others[last].data.append(content.lowerBound + 4..<content.upperBound)
            } else if ["PLTE", "tRNS"].contains(where: { file.starts(with: $0, at: offset + 4) }) {
                shared.append(offset..<content.upperBound + 4)
            }
            offset += length + 12
        }
    }

    private var hasPicture = false

    /// A frame that lies within the canvas.
    private static func frame(_ file: Bytes, _ offset: Int, _ canvas: ImageSize) -> Frame? {
        guard let width = file.integer(at: offset + 4, byteCount: 4),
            let height = file.integer(at: offset + 8, byteCount: 4),
            let left = file.integer(at: offset + 12, byteCount: 4),
            let top = file.integer(at: offset + 16, byteCount: 4),
            let disposal = Disposal(rawValue: Int(file.byte(offset + 24) ?? .max)), let blend = file.byte(offset + 25),
            width > 0, height > 0, left + width <= canvas.width, top + height <= canvas.height
        else { return nil }
        return Frame(
            left: left, top: top, size: ImageSize(width: width, height: height), disposal: disposal,
            blends: blend == 1)
    }

    private static func isIntact(_ file: Bytes, _ offset: Int, _ length: Int) -> Bool {
        guard let chunk = file.slice(offset + 4, count: length + 4) else { return false }
        return file.integer(at: offset + 8 + length, byteCount: 4) == Int(CyclicCheck.value(of: chunk.buffer))
    }

    /// A frame as a PNG file of its own.
    func file(of frame: Frame, in file: Bytes) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        Self.append("IHDR", Self.bytes(frame.size.width) + Self.bytes(frame.size.height) + depth, to: &bytes)
        for range in shared { bytes += file.buffer[range.clamped(to: 0..<file.count)] }
        for range in frame.data {
            Self.append("IDAT", Array(file.buffer[range.clamped(to: 0..<file.count)]), to: &bytes)
        }
        Self.append("IEND", [], to: &bytes)
        return bytes
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        let chunk = Array(type.utf8) + content
        file += bytes(content.count) + chunk
        file += bytes(Int(chunk.withUnsafeBytes { CyclicCheck.value(of: $0) }))
    }
}

/// The checksum of PNG's chunks.
///
/// Source: PNG specification, third edition, annex D.
enum CyclicCheck {
    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func value(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}
