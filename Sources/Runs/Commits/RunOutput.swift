import Platform

/// Where a run writes, in which form.
public struct RunOutput: Sendable {
    /// The form.
    public let kind: SinkKind
    /// The path of a file or pipe; nil for standard output.
    public let path: String?
    /// What is written of each answer.
    public let options: SinkKind.RowOptions
    /// When rows are committed.
    public var commits = CommitPolicy()
    /// The output, kept for this run alone; nil for standard output and pipes, which cannot be resumed.
    public let reservation: RunReservation?
    /// The calls to the system.
    package var calls = SystemCalls()

    /// Standard output, or a pipe or device.
    public init(
        streamingTo path: String? = nil, as kind: SinkKind, options: SinkKind.RowOptions = SinkKind.RowOptions()
    ) {
        self.kind = kind
        self.path = path
        self.options = options
        reservation = nil
    }

    /// A file that is reserved for the run.
    public init(_ reservation: RunReservation, as kind: SinkKind, options: SinkKind.RowOptions = SinkKind.RowOptions())
    {
        self.kind = kind
        self.path = reservation.path
        self.options = options
        self.reservation = reservation
    }
}

/// How far a run is.
public struct RunProgress: Sendable {
    /// The records of the run; nil where that is not known.
    public var total: Int?
    /// Rows with an answer, those of earlier parts of the run included.
    public var succeeded: Int
    /// Rows with an error, likewise.
    public var failed: Int
    /// Rows that were there when the run went on.
    public var resumed: Int

    /// Rows there are.
    public var done: Int { succeeded + failed }
}

/// What a run tells on its way.
public enum RunEvent: Sendable {
    /// The first row is about to come.
    case begun(RunProgress)
    /// Rows are about to be written.
    case writing
    /// Rows were written.
    case wrote([PredictionRecord], RunProgress)
}
