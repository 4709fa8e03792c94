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

    /// Lifetimes are compared within buckets of this many operations, so that placing a chain of n blocks takes O(n)
    /// time.
    private static let bucketLength = 64

    package init(_ blocks: [Block]) {
        offsets = [Int](repeating: 0, count: blocks.count)
        let sizes = blocks.map { ($0.byteCount + 63) / 64 * 64 }
        let bucketCount = (blocks.map(\.last).max() ?? 0) / Self.bucketLength + 1
        var buckets = [[Int]](repeating: [], count: bucketCount)
        var longLived: [Int] = []
        let order = blocks.indices.sorted {
            (sizes[$0], blocks[$1].first) > (sizes[$1], blocks[$0].first)
        }
        for index in order {
            let block = blocks[index]
            let range = (block.first / Self.bucketLength)...(block.last / Self.bucketLength)
            var occupied: [Range<Int>] = []
            func consider(_ others: [Int]) {
                for other in others where blocks[other].first <= block.last && block.first <= blocks[other].last {
                    occupied.append(offsets[other]..<(offsets[other] + sizes[other]))
                }
            }
            consider(longLived)
            for bucket in range { consider(buckets[bucket]) }
            occupied.sort { $0.lowerBound < $1.lowerBound }
            var offset = 0
            for range in occupied {
                if range.lowerBound >= offset + sizes[index] { break }
                offset = max(offset, range.upperBound)
            }
            offsets[index] = offset
            byteCount = max(byteCount, offset + sizes[index])
            if range.count > 4 {
                longLived.append(index)
            } else {
                for bucket in range { buckets[bucket].append(index) }
            }
        }
    }
}
