import Platform
import Predicting

/// A destination of answers. Static functions make the kinds of sinks: `.csv(to: output)`.
///
///     var sink: any Sink = .csv(to: try OutputFile(path: "results.csv"))
///     for try await record in classifier.predictions(over: .imageFolder("photos")) { try sink.write(record) }
///     try sink.finish()
///
/// A sink is used by one task at a time.
public protocol Sink {
    /// Writes one answer.
    ///
    /// - Throws: ``OutputError``; answers that are already written stay intact.
    mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError)

    /// Puts the answers so far on the disk, so that they survive the end of the process or the machine.
    ///
    /// - Returns: A checkpoint from which another sink of the same kind can continue.
    /// - Throws: ``OutputError``; the commit is not repeated.
    mutating func commit() throws(OutputError) -> SinkCheckpoint

    /// The rows that a resumed output counts itself; nil when only the manifest counts them.
    var resumedRows: RunRows? { get }

    /// The total length of the rows so far, in the file that names their records; nil when rows have no length in
    /// bytes.
    var rowByteCount: Int? { get }

    /// Writes the end of the output, synchronizes the output to the disk and closes it. Nothing may be written
    /// afterwards.
    ///
    /// - Returns: A checkpoint at the end of the output.
    /// - Throws: ``OutputError`` also when the system reports an earlier failure to write only at this point.
    @discardableResult mutating func finish() throws(OutputError) -> SinkCheckpoint
}

extension Sink {
    /// Writes one answer of a known task.
    ///
    /// - Throws: As the function for answers of any task.
    public mutating func write(_ record: PredictionRecord<some Any>) throws(OutputError) { try write(record.erased) }

    public var resumedRows: RunRows? { nil }
    public var rowByteCount: Int? { nil }
}
