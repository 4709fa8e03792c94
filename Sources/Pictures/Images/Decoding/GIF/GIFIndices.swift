/// The indices of a frame, decompressed by LZW with codes of growing width.
///
/// Source: https://www.w3.org/Graphics/GIF/spec-gif89a.txt, appendix F.
struct GIFIndices {
    private static let maximumCodeCount = 4096

    /// The index of every pixel, in the order of the file.
    private(set) var values: [UInt8]

    private let wanted: Int
    /// The code before the last index of a code's string, and that index.
    private var (prefixes, suffixes) = (
        [UInt16](repeating: 0, count: maximumCodeCount), [UInt8](repeating: 0, count: maximumCodeCount)
    )
    private var (codeCount, codeWidth) = (0, 0)
    private let firstWidth: Int

    /// Decompresses `count` indices from the blocks at `offset`; what follows them is not looked at.
    init(_ file: Bytes, at offset: Int, count: Int) throws(ImageError) {
        guard let width = file.byte(offset) else { throw .truncated("the file ends before a frame's data") }
        guard (1...11).contains(width) else { throw .corrupt("a frame's codes begin with \(width) bits") }
        firstWidth = Int(width)
        wanted = count
        values = []
        values.reserveCapacity(count)
        for index in 0..<min(256, 1 << firstWidth) { suffixes[index] = UInt8(index) }
        clear()
        var reader = GIFCodeReader(file, at: offset + 1)
        var previous: Int?
        while values.count < wanted {
            guard let code = reader.next(codeWidth) else { throw .truncated("a frame's data are incomplete") }
            if code == 1 << firstWidth {
                clear()
                previous = nil
            } else if code == 1 << firstWidth + 1 {
                throw .truncated("a frame has \(values.count) of \(wanted) pixels")
            } else {
                try add(code, after: previous)
                previous = code
            }
        }
    }

    private mutating func clear() {
        codeCount = 1 << firstWidth + 2
        codeWidth = firstWidth + 1
    }

    /// Appends the string of a code, and gives the string before it with its first index a code.
    private mutating func add(_ code: Int, after previous: Int?) throws(ImageError) {
        guard code < codeCount || code == codeCount && previous != nil else {
            throw .corrupt("a frame has a code without a meaning")
        }
        let start = values.count
        if code == codeCount, let previous {
            append(previous)
            values.append(start < values.count ? values[start] : 0)
        } else {
            append(code)
        }
        guard let previous, codeCount < Self.maximumCodeCount, start < values.count else { return }
        prefixes[codeCount] = UInt16(previous)
        suffixes[codeCount] = values[start]
        codeCount += 1
        if codeCount == 1 << codeWidth, codeWidth < 12 { codeWidth += 1 }
    }

    /// Appends the indices of a code's string, which is found from its end.
    private mutating func append(_ code: Int) {
        let start = values.count
        var code = code
        while code >= 1 << firstWidth + 2 {
            values.append(suffixes[code])
            code = Int(prefixes[code])
        }
        values.append(suffixes[code])
        values[start...].reverse()
    }
}

/// The codes of a frame, whose bits fill blocks from the lowest on.
private struct GIFCodeReader {
    private let file: Bytes
    private var offset: Int
    private var blockEnd: Int
    private var (bits, bitCount) = (0, 0)

    init(_ file: Bytes, at offset: Int) {
        self.file = file
        self.offset = offset
        blockEnd = offset
    }

    /// The next code; nil after the last block.
    mutating func next(_ width: Int) -> Int? {
        while bitCount < width {
            if offset == blockEnd {
                guard let length = file.byte(offset), length > 0 else { return nil }
                offset += 1
                blockEnd = offset + Int(length)
            }
            guard let byte = file.byte(offset) else { return nil }
            offset += 1
            bits |= Int(byte) << bitCount
            bitCount += 8
        }
        defer {
            bits >>= width
            bitCount -= width
        }
        return bits & (1 << width - 1)
    }
}
