import Platform
import Predicting
import Vision

/// The destination and format of a run's rows.
public struct RunOutput: Sendable {
    /// The format of the rows.
    public let kind: SinkKind
    /// The path of a file or pipe; nil for standard output.
    public let path: String?
    /// The parts of each answer that are written.
    public let options: RowOptions
    /// The limits on rows and time after which rows are committed.
    public var commits = CommitPolicy()
    /// The exclusive reservation of the output; nil for standard output and pipes, which cannot be resumed.
    public let reservation: RunReservation?
    /// The system calls, which tests replace.
    package var calls = SystemCalls()

    /// Makes an output to standard output, a pipe or a device.
    public init(
        streamingTo path: String? = nil, as kind: SinkKind, options: RowOptions = RowOptions()
    ) {
        self.kind = kind
        self.path = path
        self.options = options
        reservation = nil
    }

    /// Makes an output to a file that is reserved for the run.
    public init(_ reservation: RunReservation, as kind: SinkKind, options: RowOptions = RowOptions()) {
        self.kind = kind
        self.path = reservation.path
        self.options = options
        self.reservation = reservation
    }
}

/// An event that a run reports.
public enum RunEvent: Sendable {
    /// The run begins, before its first row.
    case begun(RunProgress)
    /// Rows are about to be written.
    case writing
    /// Rows were written.
    case wrote([PredictionRecord<ImageAnswer>], RunProgress)
}
