import CPUBackend
import Inference
import Platform
import Synchronization
import Vision

extension EmbeddingIndex {
    /// A record that is like what was asked for.
    public struct Neighbor: Sendable, Equatable {
        /// The record's position in the index, from 0.
        public let position: Int
        /// The record's id.
        public let id: String
        /// The cosine of the angle between both vectors, from −1 to 1.
        public let similarity: Double
    }

    /// The number of questions that are answered while the index is read once.
    private static let questionsAtOnce = 256
    /// The number of elements of a block, which stays in a core's cache.
    private static let blockElementCount = 1 << 16

    /// The records that are most like each of several vectors, best first.
    ///
    /// - Parameters:
    ///   - embeddings: The vectors that are asked for, of ``vectorCount`` elements each.
    ///   - count: The maximum number of records for each.
    ///   - threads: The number of threads.
    /// - Throws: ``ApusError/usage(_:)`` for a vector of another length or without a direction;
    ///   ``ApusError/file(path:message:)`` when the index is damaged; `CancellationError`.
    public func neighbors(
        of embeddings: [ImageEmbedding], count: Int, threads: Int = Session.Options.availableThreads
    ) async throws -> [[Neighbor]] {
        var all: [[Neighbor]] = []
        for start in stride(from: 0, to: embeddings.count, by: Self.questionsAtOnce) {
            let part = embeddings[start..<min(embeddings.count, start + Self.questionsAtOnce)]
            let questions = try Questions(part.map(\.vector), of: self)
            for rows in try await nearest(questions, count: max(1, count), threads: max(1, threads)) {
                all.append(
                    try rows.rows.prefix(count).map {
                        Neighbor(position: $0.position, id: try ids.id($0.position), similarity: $0.similarity)
                    })
            }
        }
        return all
    }

    /// The records that are most like one of the index, which is not among them.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the index has no such record, or only its error; otherwise as
    ///   ``neighbors(of:count:threads:)``.
    public func neighbors(
        ofID id: String, count: Int, threads: Int = Session.Options.availableThreads
    ) async throws -> [Neighbor] {
        let own = try position(of: id)
        let vector = ImageEmbedding(try rows.vector(own))
        let found = try await neighbors(of: [vector], count: count + 1, threads: threads)[0]
        return Array(found.filter { $0.position != own }.prefix(count))
    }

    /// The nearest rows of each question, from all blocks.
    private func nearest(_ questions: Questions, count: Int, threads: Int) async throws -> [NearestRows] {
        let executor = try BlockingExecutor(name: "apus-search", role: .tasks(threadCount: threads))
        let blocks = blocks(elementCount: Self.blockElementCount)
        let next = SharedCounter()
        return try await withThrowingTaskGroup(of: [NearestRows].self) { group in
            for _ in 0..<min(threads, max(1, blocks.count)) {
                group.addTask {
                    try await executor.run {
                        try search(blocks, next, questions, count: count)
                    }
                }
            }
            return try await group.reduce(
                into: [NearestRows](repeating: NearestRows(capacity: count), count: questions.count)
            ) { all, part in
                for question in all.indices { for row in part[question].rows { all[question].add(row) } }
            }
        }
    }

    /// Searches the blocks that no other thread has taken.
    private func search(
        _ blocks: [Range<Int>], _ next: SharedCounter, _ questions: Questions, count: Int
    ) throws -> [NearestRows] {
        var nearest = [NearestRows](repeating: NearestRows(capacity: count), count: questions.count)
        var block = VectorBlock(self)
        var products = [Float](repeating: 0, count: questions.count * (blocks.first?.count ?? 0))
        while let range = blocks.dropFirst(next.next()).first {
            try Task.checkCancellation()
            try block.read(range) { factors, elements in
                products.withUnsafeMutableBufferPointer { products in
                    questions.unit.withUnsafeBufferPointer { unit in
                        RowProducts.multiply(
                            unit, elements, depth: vectorCount,
                            into: UnsafeMutableBufferPointer(rebasing: products[..<(questions.count * range.count)]))
                    }
                }
                for question in nearest.indices {
                    add(
                        range, products[question * range.count..<(question + 1) * range.count], factors, elements,
                        questions, question, &nearest[question])
                }
            }
        }
        return nearest
    }

    /// Adds the rows of a block to the nearest ones of a question. Those that single precision cannot tell from nearest
    /// ones are measured exactly.
    private func add(
        _ range: Range<Int>, _ products: ArraySlice<Float>, _ factors: [Float], _ elements: UnsafeBufferPointer<Float>,
        _ questions: Questions, _ question: Int, _ nearest: inout NearestRows
    ) {
        var least = Float(nearest.least - uncertainty).nextDown
        for row in factors.indices where !(products[products.startIndex + row] * factors[row] < least) {
            let position = range.lowerBound + row
            guard !ids.errors.contains(position) else { continue }
            let vector = UnsafeBufferPointer(rebasing: elements[row * vectorCount..<(row + 1) * vectorCount])
            let similarity = questions.vectors[question].withUnsafeBufferPointer { $0.cosine(with: vector) }
            nearest.add(NearestRows.Row(position: position, similarity: similarity))
            least = Float(nearest.least - uncertainty).nextDown
        }
    }
}

/// The vectors that are asked for.
private struct Questions: Sendable {
    let vectors: [[Float]]
    /// The vectors divided by their lengths, one after another.
    let unit: [Float]

    var count: Int { vectors.count }

    init(_ vectors: [[Float]], of index: EmbeddingIndex) throws(ApusError) {
        self.vectors = vectors
        var unit: [Float] = []
        for vector in vectors {
            guard vector.count == index.vectorCount else {
                throw .usage(
                    "\(index.path): has vectors of \(index.vectorCount) numbers; what is asked for has \(vector.count)")
            }
            let length = vector.withUnsafeBufferPointer { $0.product(with: $0) }.squareRoot()
            guard length > 0, length.isFinite else {
                throw .usage("\(index.path): a vector without a direction is like no other")
            }
            unit += vector.map { Float(Double($0) / length) }
        }
        self.unit = unit
    }
}

/// Numbers from 0, each given once, to any thread.
final class SharedCounter: Sendable {
    private let value = Atomic<Int>(0)

    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}
