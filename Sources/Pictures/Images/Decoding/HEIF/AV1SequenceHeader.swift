/// What an AV1 stream says about its samples.
///
/// Source: AV1 Bitstream & Decoding Process Specification, sections 5.3 to 5.5.
struct AV1SequenceHeader {
    /// Whether samples are of brightness alone.
    private(set) var isGrey = false
    /// The matrix of H.273 that made the samples of brightness and of color; 2 where nothing is said.
    private(set) var matrix = 2
    private(set) var isFullRange = false
    /// Whether two columns, or two rows, share samples of color.
    private(set) var sharesColumns = false
    private(set) var sharesRows = false

    /// That of a stream that says nothing, with samples for each pixel.
    init() {}

    /// The bytes of a stream in which the header is looked for.
    static let searchedByteCount = 4096

    /// Reads the first header of a stream; nil where there is none.
    init?(_ stream: Bytes) {
        var offset = 0
        while let head = stream.byte(offset) {
            let (kind, isExtended, hasSize) = (head >> 3 & 15, head & 4 != 0, head & 2 != 0)
            offset += isExtended ? 2 : 1
            var length = stream.count - offset
            if hasSize {
                length = 0
                for index in 0..<5 {
                    guard let byte = stream.byte(offset) else { return nil }
                    offset += 1
                    length |= Int(byte & 0x7F) << (7 * index)
                    if byte & 0x80 == 0 { break }
                }
            }
            if kind == 1 {
                guard let content = stream.slice(offset, count: length) else { return nil }
                self.init(content: content)
                return
            }
            offset += length
        }
        return nil
    }

    private init?(content: Bytes) {
        var bits = BitReader(content)
        let profile = bits.next(3)
        bits.skip(1)
        let isReduced = bits.flag()
        if isReduced {
            bits.skip(5)
        } else {
            bits.skipOperatingPoints()
        }
        let (widthBits, heightBits) = (bits.next(4) + 1, bits.next(4) + 1)
        bits.skip(widthBits + heightBits)
        if !isReduced, bits.flag() { bits.skip(7) }
        bits.skip(3)
        if !isReduced { bits.skipTools() }
        bits.skip(3)
        let isDeep = bits.flag()
        let has12Bits = profile == 2 && isDeep && bits.flag()
        isGrey = profile != 1 && bits.flag()
        var primaries = 2, transfer = 2
        if bits.flag() { (primaries, transfer, matrix) = (bits.next(8), bits.next(8), bits.next(8)) }
        if isGrey {
            isFullRange = bits.flag()
        } else if (primaries, transfer, matrix) == (1, 13, 0) {
            isFullRange = true
        } else {
            isFullRange = bits.flag()
            switch profile {
            case 0: (sharesColumns, sharesRows) = (true, true)
            case 1: break
            default:
                sharesColumns = !has12Bits || bits.flag()
                sharesRows = has12Bits && sharesColumns && bits.flag()
            }
        }
        guard !bits.isBeyondTheEnd else { return nil }
    }
}

/// Bits that follow one another, the highest of a byte first; zeros behind the end.
private struct BitReader {
    private let bytes: Bytes
    private var position = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    var isBeyondTheEnd: Bool { position > bytes.count * 8 }

    mutating func next(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes.byte(position / 8) ?? 0) >> (7 - position % 8) & 1
            position += 1
        }
        return value
    }

    mutating func flag() -> Bool { next(1) == 1 }

    mutating func skip(_ count: Int) { position += count }

    /// Skips times and what precedes the extents.
    mutating func skipOperatingPoints() {
        var delayBits = 0
        if flag() {
            skip(64)
            if flag() {
                var zeroCount = 0
                while zeroCount < 32, !isBeyondTheEnd, !flag() { zeroCount += 1 }
                skip(zeroCount)
            }
            if flag() {
                delayBits = next(5) + 1
                skip(42)
            }
        }
        let hasDelays = flag()
        for _ in 0...next(5) {
            skip(12)
            if next(5) > 7 { skip(1) }
            if delayBits > 0, flag() { skip(2 * delayBits + 1) }
            if hasDelays, flag() { skip(4) }
        }
    }

    /// Skips which tools of prediction the stream uses.
    mutating func skipTools() {
        skip(4)
        let hasOrder = flag()
        if hasOrder { skip(2) }
        let isScreen = flag() || flag()
        if isScreen, !flag() { skip(1) }
        if hasOrder { skip(3) }
    }
}
