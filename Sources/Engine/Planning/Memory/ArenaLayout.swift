/// Offsets for blocks of memory whose lifetimes are known: blocks that live at the same time never overlap.
///
/// Blocks are placed in order of size, largest first, each at the lowest offset that is free throughout its lifetime.
package struct ArenaLayout {
    /// A block, and the first and last operation that use it.
    package struct Block: Sendable {
        package let byteCount: Int
        package let first: Int
        package let last: Int

        package init(byteCount: Int, first: Int, last: Int) {
            self.byteCount = byteCount
            self.first = first
            self.last = last
        }
    }

    /// The byte offset of each block, a multiple of 64.
    package private(set) var offsets: [Int]
    /// The end of the block that ends last, in bytes.
    package private(set) var byteCount = 0

    package init(_ blocks: [Block]) {
        offsets = [Int](repeating: 0, count: blocks.count)
        let sizes = blocks.map { ($0.byteCount + 63) / 64 * 64 }
        var occupancy = ArenaOccupancy(operationCount: (blocks.map(\.last).max() ?? 0) + 1)
        let order = blocks.indices.sorted {
            (sizes[$0], blocks[$1].first) > (sizes[$1], blocks[$0].first)
        }
        for index in order {
            let lifetime = blocks[index].first...blocks[index].last
            let offset = occupancy.lowestGap(of: sizes[index], during: lifetime)
            occupancy.occupy(offset..<(offset + sizes[index]), during: lifetime)
            offsets[index] = offset
            byteCount = max(byteCount, offset + sizes[index])
        }
    }
}

/// Which bytes of an arena are taken when.
///
/// A binary tree over the operations: its leaves are operations, and an inner node stands for those of its leaves. A
/// lifetime is the union of a few nodes, so that blocks of any lifetimes are placed in little more than linear time
/// where they leave few gaps.
private struct ArenaOccupancy {
    /// The number of leaves, a power of two. The children of node n are 2n and 2n + 1; the root is 1.
    private let leafCount: Int
    /// For each node, the bytes of the blocks whose lifetimes have the node as one of their parts.
    private var whole: [ByteRanges]
    /// For each node, the bytes of the blocks with such a part beneath the node.
    private var beneath: [ByteRanges]
    /// For each node, the number of the last search that considered it.
    private var lastSearch: [Int]
    private var searchCount = 0

    init(operationCount: Int) {
        var leafCount = 1
        while leafCount < operationCount { leafCount *= 2 }
        self.leafCount = leafCount
        whole = Array(repeating: ByteRanges(), count: 2 * leafCount)
        beneath = whole
        lastSearch = Array(repeating: 0, count: 2 * leafCount)
    }

    /// The lowest offset of `byteCount` bytes that are free during all of a lifetime.
    mutating func lowestGap(of byteCount: Int, during lifetime: ClosedRange<Int>) -> Int {
        searchCount += 1
        // What lives at some time of the lifetime: in a part of it, beneath one, or around one.
        var taken: [ByteRanges] = []
        for part in parts(of: lifetime) {
            if !beneath[part].isEmpty { taken.append(beneath[part]) }
            var node = part
            while node > 0, lastSearch[node] != searchCount {
                lastSearch[node] = searchCount
                if !whole[node].isEmpty { taken.append(whole[node]) }
                node /= 2
            }
        }
        var offset = 0
        var isMoved = true
        while isMoved {
            isMoved = false
            for ranges in taken {
                while let end = ranges.end(ofRangeIn: offset..<(offset + byteCount)) {
                    offset = end
                    isMoved = true
                }
            }
        }
        return offset
    }

    mutating func occupy(_ bytes: Range<Int>, during lifetime: ClosedRange<Int>) {
        for part in parts(of: lifetime) {
            whole[part].insert(bytes)
            // Where a node has the bytes already, those around it have them too.
            var node = part / 2
            while node > 0, beneath[node].insert(bytes) { node /= 2 }
        }
    }

    /// The largest nodes that make up a lifetime.
    private func parts(of lifetime: ClosedRange<Int>) -> [Int] {
        var parts: [Int] = []
        var (first, end) = (lifetime.lowerBound + leafCount, lifetime.upperBound + 1 + leafCount)
        while first < end {
            if first % 2 == 1 {
                parts.append(first)
                first += 1
            }
            if end % 2 == 1 {
                end -= 1
                parts.append(end)
            }
            first /= 2
            end /= 2
        }
        return parts
    }
}

/// Bytes as ranges in ascending order that neither overlap nor touch.
private struct ByteRanges {
    private var ranges: [Range<Int>] = []

    var isEmpty: Bool { ranges.isEmpty }

    /// The end of the first range that overlaps the given one; nil when none does.
    func end(ofRangeIn bytes: Range<Int>) -> Int? {
        let index = firstIndex { $0.upperBound > bytes.lowerBound }
        guard index < ranges.count, ranges[index].lowerBound < bytes.upperBound else { return nil }
        return ranges[index].upperBound
    }

    /// Adds bytes.
    ///
    /// - Returns: Whether some of them were missing.
    @discardableResult
    mutating func insert(_ bytes: Range<Int>) -> Bool {
        guard !bytes.isEmpty else { return false }
        let first = firstIndex { $0.upperBound >= bytes.lowerBound }
        var (lower, upper, end) = (bytes.lowerBound, bytes.upperBound, first)
        while end < ranges.count, ranges[end].lowerBound <= bytes.upperBound {
            if ranges[end].lowerBound <= bytes.lowerBound, ranges[end].upperBound >= bytes.upperBound { return false }
            lower = min(lower, ranges[end].lowerBound)
            upper = max(upper, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(lower..<upper))
        return true
    }

    /// The index of the first range for which a condition holds that holds for all ranges after it.
    private func firstIndex(_ holds: (Range<Int>) -> Bool) -> Int {
        var (lower, upper) = (0, ranges.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if holds(ranges[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}
