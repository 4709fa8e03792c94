import CPUBackend

/// Two rows that are similar enough, the first before the second.
struct NearPair: Sendable {
    let first: Int
    let second: Int
    /// The exact similarity; where only its sufficing was asked for, the minimum.
    let similarity: Double
}

/// Compares the rows of one block with those of others.
struct BlockComparison: Sendable {
    let index: EmbeddingIndex
    let left: Range<Int>
    /// The least cosine of a pair.
    let minimum: Double
    /// Whether the similarity of each pair is computed, and not only whether it suffices.
    let isExact: Bool

    /// The number of products that are looked through together for one that may suffice.
    private static let strip = 64
    /// The number of pairs after which they are handed over, so that they take little memory.
    static let handedOver = 1 << 18

    /// The pairs of a row of ``left`` and a later row of the blocks that no other thread has taken. Where the
    /// similarity of each is not asked for, those that connect the same rows as the others do are left out.
    ///
    /// - Parameter blocks: The blocks; ``left`` may be among them.
    func pairs(with blocks: ArraySlice<Range<Int>>, taking next: SharedCounter) throws -> [NearPair] {
        var (own, other) = (VectorBlock(index), VectorBlock(index))
        var found: [NearPair] = []
        var products = [Float](repeating: 0, count: left.count * (blocks.map(\.count).max() ?? 0))
        try own.read(left) { leftFactors, leftRows in
            while found.count < Self.handedOver, let right = blocks.dropFirst(next.next()).first {
                try Task.checkCancellation()
                try other.read(right) { rightFactors, rightRows in
                    products.withUnsafeMutableBufferPointer { products in
                        RowProducts.multiply(
                            leftRows, rightRows, depth: index.vectorCount,
                            into: UnsafeMutableBufferPointer(rebasing: products[..<(left.count * right.count)]))
                    }
                    // The rows of both blocks, which may be the same.
                    let isSame = left == right
                    var groups = ConnectedRows(count: isExact ? 0 : isSame ? left.count : left.count + right.count)
                    let offset = isSame ? right.lowerBound : right.lowerBound - left.count
                    for row in left {
                        // A row of another block is alone until its turn. Once every other row is connected with this
                        // one, no further pair of it connects anything.
                        let fewest = isSame ? 1 : left.upperBound - row
                        if !isExact, groups.groupCount == fewest { continue }
                        let factor = leftFactors[row - left.lowerBound]
                        forEachCandidate(row, factor, right, rightFactors, products) { second in
                            // Of two rows of one block, the first comes before the second.
                            guard second.position > row else { return true }
                            let (a, b) = (row - left.lowerBound, second.position - offset)
                            if !isExact, groups.areConnected(a, b) { return true }
                            if add(row, second, leftRows, rightRows, right, to: &found), !isExact {
                                groups.connect(a, b)
                                return groups.groupCount > fewest
                            }
                            return true
                        }
                    }
                }
            }
        }
        return found
    }

    /// A row whose similarity may suffice.
    private struct Candidate {
        let position: Int
        /// Whether it suffices for certain.
        let isSure: Bool
    }

    /// Hands over the rows of a block that may suffice, by their products with a row in single precision.
    ///
    /// - Parameter body: Takes a row, and returns whether it needs the others, too.
    private func forEachCandidate(
        _ row: Int, _ factor: Float, _ right: Range<Int>, _ factors: [Float], _ products: [Float],
        _ body: (Candidate) -> Bool
    ) {
        let least = Float(minimum - index.uncertainty) / factor
        let sure = isExact ? .infinity : Float(minimum + index.uncertainty) / factor
        let start = (row - left.lowerBound) * right.count
        products.withUnsafeBufferPointer { products in
            factors.withUnsafeBufferPointer { factors in
                for first in stride(from: 0, to: right.count, by: Self.strip) {
                    let end = min(right.count, first + Self.strip)
                    var count: Int32 = 0
                    for column in first..<end {
                        count &+= products[start + column] * factors[column] < least ? 0 : 1
                    }
                    // Comparisons with what is not a number are false, so that such rows are candidates.
                    let isNeeded = count > 0 || least.isNaN
                    for column in first..<end where isNeeded {
                        let value = products[start + column] * factors[column]
                        if !(value < least),
                            !body(Candidate(position: right.lowerBound + column, isSure: value >= sure))
                        {
                            return
                        }
                    }
                }
            }
        }
    }

    /// Adds a pair if it is similar enough.
    private func add(
        _ first: Int, _ second: Candidate, _ leftRows: UnsafeBufferPointer<Float>,
        _ rightRows: UnsafeBufferPointer<Float>, _ right: Range<Int>, to found: inout [NearPair]
    ) -> Bool {
        let errors = index.ids.errors
        guard errors.isEmpty || !errors.contains(first) && !errors.contains(second.position) else { return false }
        var similarity = minimum
        if !second.isSure {
            let depth = index.vectorCount
            let (a, b) = ((first - left.lowerBound) * depth, (second.position - right.lowerBound) * depth)
            similarity = UnsafeBufferPointer(rebasing: leftRows[a..<a + depth])
                .cosine(with: UnsafeBufferPointer(rebasing: rightRows[b..<b + depth]))
        }
        guard similarity >= minimum else { return false }
        found.append(NearPair(first: first, second: second.position, similarity: similarity))
        return true
    }
}
