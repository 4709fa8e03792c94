import Datasets
import Inference
import Models

extension RunManifest {
    /// The maximum duration of a run in seconds.
    private static let maximumSeconds = 1e12

    /// The reason why no run can have written such a manifest; nil when one can. A manifest is checked because it may
    /// have been edited, and calculations use its numbers.
    var contradiction: String? {
        countContradiction ?? shardContradiction ?? timeContradiction
            ?? Self.contradiction(checkpoint, "checkpoint")
            ?? index.flatMap { Self.contradiction($0, "index", fileCount: 1) } ?? fileContradiction
    }

    private var countContradiction: String? {
        guard rows.succeeded >= 0, rows.failed >= 0 else { return "a number of rows is negative" }
        let (sum, overflow) = rows.succeeded.addingReportingOverflow(rows.failed)
        guard !overflow, sum == rows.finished.count else {
            return "\(rows.finished.count) records are finished, but the rows have another count"
        }
        if let total {
            guard total >= rows.finished.end else { return "records are finished beyond the total of \(total)" }
            guard state != .finished || total == sum else {
                return "the run is finished, with \(sum) rows of \(total)"
            }
        }
        guard let count = identity.listCount else { return nil }
        guard count >= total ?? count else { return "the total of \(total ?? 0) is more than the list's \(count)" }
        return nil
    }

    private var shardContradiction: String? {
        guard let text = identity.shard, Shard(text) == nil else { return nil }
        return "\(text) is not a shard"
    }

    private var timeContradiction: String? {
        let times = [seconds] + stageSeconds.values
        return times.allSatisfy((0...Self.maximumSeconds).contains) ? nil : "a time is not one that a run can take"
    }

    /// - Parameter fileCount: The number of files, if known.
    private static func contradiction(
        _ checkpoint: SinkCheckpoint, _ name: String, fileCount: Int? = nil
    ) -> String? {
        guard checkpoint.byteCounts.allSatisfy({ $0 >= 0 }) else { return "a length of its \(name) is negative" }
        guard let fileCount else { return nil }
        guard checkpoint.byteCounts.count == fileCount, checkpoint.checksums?.count ?? fileCount == fileCount else {
            return "its \(name) does not have \(fileCount) files"
        }
        return nil
    }

    private var fileContradiction: String? {
        guard let kind else { return nil }
        if checkpoint == SinkCheckpoint() {
            return mayLackCheckpoint ? nil : "nothing says where its \(rows.finished.count) rows end"
        }
        let count = kind.fileSuffixes.count
        if let contradiction = Self.contradiction(
            count == 0 ? SinkCheckpoint(byteCounts: checkpoint.byteCounts) : checkpoint, "checkpoint", fileCount: count)
        {
            return contradiction
        }
        if kind.name == SinkKind.numPy.name, checkpoint.state["rows"] != rows.finished.count {
            return "its checkpoint does not have \(rows.finished.count) rows"
        }
        let hasLines = [SinkKind.jsonLines, .csv, .table].contains { $0.name == kind.name }
        if hasLines, checkpoint.byteCounts[0] < rows.finished.count {
            return "\(rows.finished.count) rows cannot lie in \(checkpoint.byteCounts[0]) bytes"
        }
        return nil
    }

    /// Whether a run may have no checkpoint: before its first row, and when an earlier version merged its shards.
    private var mayLackCheckpoint: Bool {
        rows.finished.count == 0 && state != .finished || state == .finished && identity.shard == nil
    }

    /// The kind of the sink; nil when ``format`` is unknown.
    package var kind: SinkKind? { Catalog.sinks.first { $0.name == format } }
}
