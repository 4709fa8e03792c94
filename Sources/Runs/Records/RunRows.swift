import Platform

/// The rows of a run's output.
public struct RunRows: Sendable, Equatable, Codable {
    /// Whose rows are there.
    public var finished = FinishedRecords()
    /// Rows with an answer.
    public var succeeded = 0
    /// Rows with an error.
    public var failed = 0
    /// What tells the ids of the finished records from those of another list; nil where it is not known, as in manifests of
    /// earlier versions.
    package var ids: HashSum? = HashSum()

    /// Makes an account of no rows.
    public init() {}

    /// Counts a row.
    package mutating func add(_ record: PredictionRecord) {
        add(position: record.position, id: record.id, isAnswer: (try? record.answer.get()) != nil)
    }

    /// Counts a row.
    package mutating func add(position: Int, id: String, isAnswer: Bool) {
        finished.insert(position)
        ids?.add(Self.hash(position: position, id: id))
        if isAnswer { succeeded += 1 } else { failed += 1 }
    }

    /// What a finished record adds to `ids`.
    package static func hash(position: Int, id: String) -> StableHash {
        var hash = StableHash()
        hash.combine(UInt64(truncatingIfNeeded: position))
        hash.combine(id.untilZero)
        return hash
    }
}
