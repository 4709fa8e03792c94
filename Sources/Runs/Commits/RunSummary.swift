import Inference

/// How a run went.
public struct RunSummary: Sendable, Codable {
    /// How the run ended.
    public var state: RunManifest.State
    /// The records of the run; nil where that is not known.
    public var total: Int?
    /// Rows with an answer, those of earlier parts of the run included.
    public var succeeded: Int
    /// Rows with an error, likewise.
    public var failed: Int
    /// Rows that were there when the run went on.
    public var resumed: Int
    /// Frames of a live source that this part of the run dropped, since they were late; they have no rows.
    public var dropped: Int
    /// How many files and folders of the inputs' folders were not taken, by the reason.
    public var passedOver: [String: Int]
    /// How long this part of the run took.
    public var seconds: Double
    /// Pictures per second of this part.
    public var imagesPerSecond: Double
    /// How long each stage was at work, in seconds of one thread.
    public var stageSeconds: [String: Double]
    /// The records that took longest to prepare, longest first.
    public var slowest: [SlowRecord]

    /// Rows there are.
    public var done: Int { succeeded + failed }

    /// A stage with its part of all stages' work, from 0 to 1; in the order of work.
    public var stageShares: [(name: String, share: Double)] {
        let sum = stageSeconds.values.reduce(0, +)
        return StageTimes.Stage.allCases.map { stage in
            (stage.rawValue, sum > 0 ? (stageSeconds[stage.rawValue] ?? 0) / sum : 0)
        }
    }
}
