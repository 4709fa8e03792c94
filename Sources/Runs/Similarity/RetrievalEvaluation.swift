import Inference
import Platform
import Tensors
import Vision

/// How often the pictures that are most like one another have the same label.
///
/// Each picture asks for the others that are most like it. The recall at k is the share of pictures of which at least
/// one of the k nearest has their label. Pictures whose label no other has ask for nothing.
public struct RetrievalEvaluation: Sendable {
    /// The number of pictures that ask.
    public let questionCount: Int
    /// The number of pictures whose label no other has. They are found, but do not ask.
    public let singleCount: Int
    /// The recall at each number of neighbours, rising; nil without questions.
    public let recalls: [(count: Int, recall: Double?)]
    /// The number of pictures without an answer. No figure includes them.
    public internal(set) var failedCount = 0
    /// The number of records without a label. No figure includes them.
    public internal(set) var unlabelledCount = 0

    /// Compares vectors with one another.
    ///
    /// - Parameters:
    ///   - embeddings: The vectors, of one length.
    ///   - labels: Their labels, in the same order.
    ///   - counts: The numbers of neighbours, such as 1, 5 and 10.
    /// - Throws: ``ApusError/usage(_:)`` for vectors of different lengths or without a direction;
    ///   ``ApusError/memory(_:)``; `CancellationError`.
    public init(
        of embeddings: [ImageEmbedding], labels: [String], at counts: [Int] = [1, 5, 10],
        threads: Int = Session.Options.availableThreads
    ) async throws {
        let counts = counts.filter { $0 > 0 }.sorted()
        let sizes = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
        let asking = zip(embeddings.indices, labels).filter { sizes[$1] ?? 0 > 1 }.map(\.0)
        (questionCount, singleCount) = (asking.count, embeddings.count - asking.count)
        var found = [Int](repeating: 0, count: counts.count)
        if let most = counts.last, !asking.isEmpty {
            let index = try EmbeddingIndex(embeddings)
            let neighbors = try await index.neighbors(
                of: asking.map { embeddings[$0] }, count: most + 1, threads: threads)
            for (position, near) in zip(asking, neighbors) {
                let others = near.filter { $0.position != position }
                for (place, count) in counts.enumerated()
                where others.prefix(count).contains(where: { labels[$0.position] == labels[position] }) {
                    found[place] += 1
                }
            }
        }
        let questions = asking.count
        recalls = zip(counts, found).map { ($0, questions > 0 ? Double($1) / Double(questions) : nil) }
    }
}

// Computed figures are written too; they are null when nothing was counted.

extension RetrievalEvaluation: Encodable {
    private enum Key: String, CodingKey { case questions, single, failed, unlabelled, recalls }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(questionCount, forKey: .questions)
        try container.encode(singleCount, forKey: .single)
        try container.encode(failedCount, forKey: .failed)
        try container.encode(unlabelledCount, forKey: .unlabelled)
        try container.encode(
            Dictionary(uniqueKeysWithValues: recalls.map { ("\($0.count)", $0.recall) }), forKey: .recalls)
    }
}
