import Inference

/// The outcome of a run.
public struct RunSummary: Sendable, Codable {
    /// The state in which the run ended.
    public var state: RunManifest.State
    /// The number of records of the run; nil when not known.
    public var total: Int?
    /// The number of rows with an answer, including those of earlier parts of the run.
    public var succeeded: Int
    /// The number of rows with an error, including those of earlier parts of the run.
    public var failed: Int
    /// The number of rows that existed when the run was resumed.
    public var resumed: Int
    /// The number of late frames of a live source that this part of the run dropped. They have no rows.
    public var dropped: Int
    /// The number of files and subfolders in the input folders that were passed over, by reason.
    public var passedOver: [String: Int]
    /// The duration of this part of the run in seconds.
    public var seconds: Double
    /// The pictures per second of this part of the run.
    public var imagesPerSecond: Double
    /// The time that each stage worked, in thread-seconds.
    public var stageSeconds: [String: Double]
    /// The records that took longest to prepare, longest first.
    public var slowest: [SlowRecord]

    /// The number of rows.
    public var done: Int { succeeded + failed }

    /// The stages in their order, each with its share of the work of all stages, from 0 to 1.
    public var stageShares: [(name: String, share: Double)] {
        let sum = stageSeconds.values.reduce(0, +)
        return StageTimes.Stage.allCases.map { stage in
            (stage.rawValue, sum > 0 ? (stageSeconds[stage.rawValue] ?? 0) / sum : 0)
        }
    }
}
