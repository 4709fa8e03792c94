import Inference
import Platform

/// Writes the rows of a run on a thread of its own, and commits them in groups.
///
/// A commit puts the rows on the disk, then the manifest that counts them; so a manifest never counts a row that is not
/// there, and what lies behind the rows it counts is cut off when the run goes on.
actor RunWriter {
    private let executor: BlockingExecutor
    private let reservation: RunReservation?
    private let calls: SystemCalls
    private let policy: CommitPolicy
    private let times: StageTimes
    private var sink: any Sink
    /// Where the rows of a shard belong; nil for other runs.
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
    ///   - reservation: The output's; nil for one that has no manifest, such as standard output.
    ///   - manifest: The run's, new or from before.
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
        // Says that there are no rows before the file is emptied.
        if target.checkpoint == nil {
            manifest.rows = RunRows()
            manifest.index = nil
            if let reservation { try manifest.write(besideOutput: reservation.path, calls: target.calls) }
        }
        sink = try kind.sink(target)
        if let rows = sink.resumedRows {
            // A transaction of a database comes before the manifest that counts its rows.
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

    /// The rows that are written.
    var rows: RunRows { manifest.rows }

    /// Writes rows, and commits them when it is time.
    ///
    /// - Throws: `OutputError`. The rows before the one that failed stay.
    func write(_ records: [PredictionRecord]) throws(OutputError) {
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

    /// Writes what follows the last row, commits, and closes the output. When the run is not finished, what follows is no part
    /// of what is committed.
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

    /// Keeps what was written before an error, where the disk allows it. After an error of a commit nobody knows what is on
    /// the disk, so no second is made.
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

/// When rows are committed.
public struct CommitPolicy: Sendable {
    /// After so many rows.
    public var rowCount: Int
    /// After so much time, when a row is written.
    public var interval: Duration

    /// Makes a policy.
    public init(rowCount: Int = 4096, interval: Duration = .seconds(1)) {
        self.rowCount = max(1, rowCount)
        self.interval = interval
    }
}
