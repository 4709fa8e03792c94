import Images

/// A mask as COCO writes it: the lengths of runs of pixels, column after column from the left. The first run lies
/// outside the mask and may be empty; then they alternate.
///
/// Source: `maskApi.c` of https://github.com/cocodataset/cocoapi
public struct RunLengths: Sendable, Equatable {
    /// The width and height of the picture.
    public let size: ImageSize
    /// The lengths.
    public let counts: [Int]

    /// Makes a mask from its runs.
    public init(size: ImageSize, counts: [Int]) { (self.size, self.counts) = (size, counts) }

    /// The number of pixels in the mask.
    public var area: Int { stride(from: 1, to: counts.count, by: 2).reduce(0) { $0 + counts[$1] } }

    /// The lengths as text: from the fourth on as the difference from the one before the last, in digits of five bits,
    /// the lowest first, of which all but the last have a sixth bit, each 48 less than a letter.
    public var compressed: String {
        var text: [UInt8] = []
        for (position, count) in counts.enumerated() {
            var rest = position > 2 ? count - counts[position - 2] : count
            var hasMore = true
            while hasMore {
                var digit = UInt8(rest & 0x1F)
                rest >>= 5
                hasMore = digit & 0x10 != 0 ? rest != -1 : rest != 0
                if hasMore { digit |= 0x20 }
                text.append(digit + 48)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension RunLengths {
    /// Calls `body` with the parts of the mask in each column, from the left; runs beyond the picture are left out.
    package func forEachRun(_ body: (_ column: Int, _ rows: Range<Int>) -> Void) {
        let total = size.width * size.height
        var start = 0
        for (position, count) in counts.enumerated() {
            let end = min(total, start + max(0, count))
            while position % 2 == 1, start < end {
                let (column, row) = (start / size.height, start % size.height)
                let next = min(end, (column + 1) * size.height)
                body(column, row..<row + next - start)
                start = next
            }
            start = end
        }
    }
}
