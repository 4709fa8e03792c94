import CPUBackend
import Inference
import Platform

extension EmbeddingIndex {
    /// Two records that are nearly the same.
    public struct Pair: Sendable, Equatable {
        /// The record with the lower position; its similarity is that to the other.
        public let first: Neighbor
        /// The record with the higher position.
        public let second: Neighbor
        /// The cosine of the angle between both vectors.
        public var similarity: Double { first.similarity }
    }

    /// Records that are connected by pairs of nearly equal ones. The first and the last may be less alike.
    public struct Cluster: Sendable, Equatable {
        /// The positions of the records in the index, rising; at least two.
        public let positions: [Int]
        /// The ids of the records, in the same order.
        public let ids: [String]
    }

    /// The pairs of records that are at least as similar as asked, by the positions of the first and the second.
    ///
    /// Every vector is compared with every other, so that time grows with the square of their number.
    ///
    /// - Parameters:
    ///   - minimumSimilarity: The least cosine of a pair.
    ///   - maximumCount: The number of pairs beyond which the call ends with an error.
    ///   - threads: The number of threads.
    /// - Throws: ``ApusError/usage(_:)`` when there are more pairs; ``ApusError/file(path:message:)`` when the index is
    ///   damaged; `CancellationError`.
    public func pairs(
        minimumSimilarity: Double, maximumCount: Int = 10_000_000, threads: Int = Session.Options.availableThreads
    ) async throws -> [Pair] {
        var found: [NearPair] = []
        try await compare(minimumSimilarity, isExact: true, threads: max(1, threads)) { pairs in
            found += pairs
            guard found.count <= maximumCount else {
                throw ApusError.usage(
                    "\(path): has more than \(maximumCount) pairs of a similarity of \(minimumSimilarity); ask for a higher one"
                )
            }
        }
        found.sort { ($0.first, $0.second) < ($1.first, $1.second) }
        return try found.map { pair in
            func neighbor(_ position: Int) throws -> Neighbor {
                Neighbor(position: position, id: try ids.id(position), similarity: pair.similarity)
            }
            return Pair(first: try neighbor(pair.first), second: try neighbor(pair.second))
        }
    }

    /// The groups of nearly equal records: those that pairs of at least this similarity connect, directly or through
    /// others. They come in the order of their first records.
    ///
    /// - Parameters:
    ///   - minimumSimilarity: The least cosine of a pair.
    ///   - threads: The number of threads.
    /// - Throws: ``ApusError/file(path:message:)`` when the index is damaged; `CancellationError`.
    public func duplicates(
        minimumSimilarity: Double, threads: Int = Session.Options.availableThreads
    ) async throws -> [Cluster] {
        var groups = ConnectedRows(count: count)
        try await compare(minimumSimilarity, isExact: false, threads: max(1, threads)) { pairs in
            for pair in pairs { groups.connect(pair.first, pair.second) }
        }
        return try groups.groups.map { positions in
            Cluster(positions: positions, ids: try positions.map { try ids.id($0) })
        }
    }

    /// Compares all rows with one another, tile by tile, and hands over the pairs of each tile in no fixed order.
    ///
    /// - Parameter isExact: Whether the similarity of each pair is computed in double precision, and not only whether
    ///   it suffices.
    private func compare(
        _ minimum: Double, isExact: Bool, threads: Int, _ body: ([NearPair]) throws -> Void
    ) async throws {
        let blocks = blocks(elementCount: 1 << 20, atMost: 512)
        let executor = try BlockingExecutor(name: "apus-search", role: .tasks(threadCount: threads))
        for (number, left) in blocks.enumerated() {
            let comparison = BlockComparison(index: self, left: left, minimum: minimum, isExact: isExact)
            let (rest, next) = (blocks[number...], SharedCounter())
            try await withThrowingTaskGroup(of: [NearPair].self) { group in
                func start() {
                    group.addTask { try await executor.run { try comparison.pairs(with: rest, taking: next) } }
                }
                for _ in 0..<min(threads, rest.count) { start() }
                while let found = try await group.next() {
                    try body(found)
                    if found.count >= BlockComparison.handedOver { start() }
                }
            }
        }
    }
}
