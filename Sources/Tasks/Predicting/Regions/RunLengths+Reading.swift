import Images

/// What is wrong with a mask.
package struct MaskError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

extension RunLengths {
    /// The maximum number of pixels of a mask of a file, with which sums of areas do not overflow.
    package static let maximumArea = 1 << 48

    /// Checks lengths that a file gives.
    ///
    /// - Throws: ``MaskError`` when they are not the runs of a picture of this size.
    package init(checking counts: [Int], size: ImageSize) throws(MaskError) {
        let (area, overflow) = size.width.multipliedReportingOverflow(by: size.height)
        guard size.width > 0, size.height > 0, !overflow, area <= Self.maximumArea else {
            throw MaskError(description: "a mask of \(size.width)x\(size.height) pixels")
        }
        var sum = 0
        for count in counts {
            guard count >= 0, count <= area - sum else {
                throw MaskError(description: "runs beyond the end of the mask")
            }
            sum += count
        }
        guard sum == area else { throw MaskError(description: "runs of \(sum) pixels for a mask of \(area)") }
        self.init(size: size, counts: counts)
    }

    /// Reads lengths from text, as ``compressed`` writes them.
    ///
    /// - Throws: ``MaskError``.
    package init(compressed text: String, size: ImageSize) throws(MaskError) {
        var counts: [Int] = []
        var (value, shift) = (0, 0)
        for byte in text.utf8 {
            guard (48..<112).contains(byte), shift < 60 else { throw MaskError(description: "text that is no runs") }
            let digit = Int(byte - 48)
            value |= (digit & 0x1F) << shift
            shift += 5
            if digit & 0x20 != 0 { continue }
            // The sign is the highest bit of the last digit.
            if digit & 0x10 != 0 { value |= -1 << shift }
            counts.append(counts.count > 2 ? value &+ counts[counts.count - 2] : value)
            (value, shift) = (0, 0)
        }
        guard shift == 0 else { throw MaskError(description: "text that ends within a run") }
        try self.init(checking: counts, size: size)
    }

    /// The union of two masks of the same size.
    package func union(_ other: RunLengths) -> RunLengths {
        var counts: [Int] = []
        var isInside = false
        combine(other) { length, first, second in
            if (first || second) == isInside, !counts.isEmpty {
                counts[counts.count - 1] += length
            } else {
                if counts.isEmpty, first || second { counts.append(0) }
                isInside = first || second
                counts.append(length)
            }
        }
        return RunLengths(size: size, counts: counts)
    }

    /// The number of pixels of both masks, which have the same size.
    package func intersectionArea(with other: RunLengths) -> Int {
        var area = 0
        combine(other) { length, first, second in if first && second { area += length } }
        return area
    }

    /// Calls `body` for each run of pixels that are equal in both masks.
    private func combine(_ other: RunLengths, _ body: (_ length: Int, _ first: Bool, _ second: Bool) -> Void) {
        var (i, j) = (0, 0)
        var (left, right) = (counts.first ?? 0, other.counts.first ?? 0)
        while i < counts.count, j < other.counts.count {
            let length = min(left, right)
            if length > 0 { body(length, i % 2 == 1, j % 2 == 1) }
            (left, right) = (left - length, right - length)
            if left == 0 {
                i += 1
                if i < counts.count { left = counts[i] }
            }
            if right == 0 {
                j += 1
                if j < other.counts.count { right = other.counts[j] }
            }
        }
    }
}
