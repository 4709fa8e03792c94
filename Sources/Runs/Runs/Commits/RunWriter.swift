import Inference
import Platform
import Predicting

/// Writes the rows of a run on a separate thread and commits them in groups.
///
/// A commit first puts the rows on the disk, then the manifest that counts them. So a manifest never counts a missing
/// row. When the run is resumed, everything after the counted rows is cut off.
actor RunWriter {
    private let executor: BlockingExecutor
    private let reservation: RunReservation?
    private let calls: SystemCalls
    private let policy: CommitPolicy
    private let times: StageTimes
    private var sink: any Sink
    /// The index of a shard's rows; nil for other runs.
    private var index: RowIndex?
    private var manifest: RunManifest
    private let start = ContinuousClock.now
    private let earlierSeconds: Double
    private let earlierStages: [String: Double]
    private var waitingRows = 0
    private var hasFailedCommit = false
    private var lastCommit = ContinuousClock.now

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens the output.
    ///
    /// - Parameters:
    ///   - reservation: The reservation of the output; nil for an output without a manifest, such as standard output.
    ///   - manifest: The manifest of the run, new or from an earlier part.
    init(
        _ kind: SinkKind, target: SinkTarget, reservation: RunReservation?, manifest: RunManifest, policy: CommitPolicy,
        times: StageTimes
    ) async throws {
        executor = try BlockingExecutor(name: "apus-rows", role: .actor)
        self.reservation = reservation
        self.policy = policy
        self.times = times
        calls = target.calls
        earlierSeconds = manifest.seconds
        earlierStages = manifest.stageSeconds
        var manifest = manifest
        var target = target
        manifest.state = .running
        target.checkpoint = manifest.checkpoint == SinkCheckpoint() ? nil : manifest.checkpoint
        // The manifest states that there are no rows before the file is emptied.
        if target.checkpoint == nil {
            manifest.rows = RunRows()
            manifest.index = nil
            if let reservation { try manifest.write(besideOutput: reservation.path, calls: target.calls) }
        }
        sink = try kind.sink(target)
        if let rows = sink.resumedRows {
            // A database's transaction is committed before the manifest that counts its rows.
            guard rows.finished.count >= manifest.rows.finished.count else {
                throw OutputError.failed(
                    name: target.path ?? "",
                    message:
                        "holds \(rows.finished.count) rows of the \(manifest.rows.finished.count) that were committed")
            }
            manifest.rows = rows
        }
        let isIndexed = reservation != nil && manifest.identity.shard != nil && sink.rowByteCount != nil
        index =
            isIndexed && (target.checkpoint == nil || manifest.index != nil)
            ? try RowIndex(target, committed: manifest.index) : nil
        self.manifest = manifest
        if reservation != nil { try commit() }
    }

    /// The rows written so far.
    var rows: RunRows { manifest.rows }

    /// Writes rows, and commits them as the ``CommitPolicy`` says.
    ///
    /// - Throws: `OutputError`. The rows before the failed one stay.
    func write(_ records: [PredictionRecord<ImageAnswer>]) throws(OutputError) {
        let start = ContinuousClock.now
        for record in records {
            let byteCount = sink.rowByteCount ?? 0
            try sink.write(record)
            index?.add(position: record.listPosition, byteCount: (sink.rowByteCount ?? 0) - byteCount)
            manifest.rows.add(record)
            waitingRows += 1
        }
        times.add(.write, since: start)
        times.move(records.count, from: .writing, to: nil)
        guard reservation != nil else { return }
        if waitingRows >= policy.rowCount || ContinuousClock.now - lastCommit >= policy.interval { try commit() }
    }

    /// Writes the end of the output, commits, and closes the output. In an unfinished run the end is not part of the
    /// committed bytes.
    func finish(_ state: RunManifest.State) throws(OutputError) {
        manifest.state = state
        if state == .finished {
            try commit { sink throws(OutputError) in try sink.finish() }
        } else {
            if reservation != nil { try commit() }
            try sink.finish()
        }
        try index?.close()
    }

    /// Commits the rows written before an error, if the disk allows it. After a failed commit the content of the disk
    /// is unknown, so no second commit is made.
    func salvage() {
        if reservation != nil, !hasFailedCommit { try? commit() }
    }

    private func commit(
        _ put: (inout any Sink) throws(OutputError) -> SinkCheckpoint = { sink throws(OutputError) in try sink.commit()
        }
    ) throws(OutputError) {
        let start = ContinuousClock.now
        hasFailedCommit = true
        manifest.checkpoint = try put(&sink)
        manifest.index = try index?.commit()
        times.add(.commit, since: start)
        manifest.seconds = earlierSeconds + (ContinuousClock.now - self.start) / .seconds(1)
        manifest.stageSeconds = times.seconds.merging(earlierStages, uniquingKeysWith: +)
        if let reservation { try manifest.write(besideOutput: reservation.path, calls: calls) }
        hasFailedCommit = false
        waitingRows = 0
        lastCommit = .now
    }
}

/// The limits on rows and time after which rows are committed.
public struct CommitPolicy: Sendable {
    /// The number of rows after which rows are committed.
    public var rowCount: Int
    /// The time after which the next row causes a commit.
    public var interval: Duration

    /// Makes a policy.
    public init(rowCount: Int = 4096, interval: Duration = .seconds(1)) {
        self.rowCount = max(1, rowCount)
        self.interval = interval
    }
}
