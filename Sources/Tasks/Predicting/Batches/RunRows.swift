import Platform

/// The rows of a run's output.
public struct RunRows: Sendable, Equatable, Codable {
    /// The positions of the records that have a row.
    public var finished = FinishedRecords()
    /// Rows with an answer.
    public var succeeded = 0
    /// Rows with an error.
    public var failed = 0
    /// A sum over the positions and ids of the finished records, which identifies the list; nil in manifests of earlier
    /// versions.
    package var ids: HashSum? = HashSum()

    /// Makes a count without rows.
    public init() {}

    /// Counts a row.
    package mutating func add(_ record: PredictionRecord<some Any>) {
        add(position: record.position, id: record.id, isAnswer: (try? record.answer.get()) != nil)
    }

    /// Counts a row.
    package mutating func add(position: Int, id: String, isAnswer: Bool) {
        finished.insert(position)
        ids?.add(Self.hash(position: position, id: id))
        if isAnswer { succeeded += 1 } else { failed += 1 }
    }

    /// The hash of a finished record in ``ids``.
    package static func hash(position: Int, id: String) -> StableHash {
        var hash = StableHash()
        hash.combine(UInt64(truncatingIfNeeded: position))
        hash.combine(id.untilZero)
        return hash
    }
}

extension String {
    /// The text as SQLite stores it: up to the first zero byte.
    package var untilZero: String {
        guard let end = utf8.firstIndex(of: 0) else { return self }
        return String(self[..<end])
    }
}
