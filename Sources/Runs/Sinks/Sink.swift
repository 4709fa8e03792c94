import Platform
import Vision

/// Where answers go. Kinds of sinks are made by leading-dot functions: `.csv(to: output)`.
///
///     var sink: any Sink = .csv(to: try OutputFile(path: "results.csv"))
///     for try await record in classifier.predictions(over: .imageFolder("photos")) { try sink.write(record) }
///     try sink.finish()
///
/// A sink is used by one task at a time.
public protocol Sink {
    /// Writes one answer.
    ///
    /// - Throws: ``OutputError``; the answers written before stay whole.
    mutating func write(_ record: PredictionRecord) throws(OutputError)

    /// Makes sure that what was written so far stays, whatever happens to the process and the machine.
    ///
    /// - Returns: What another sink of the same kind needs to go on from here.
    /// - Throws: ``OutputError``; it is not tried again.
    mutating func commit() throws(OutputError) -> SinkCheckpoint

    /// The rows that an output keeps account of itself, when it was opened to go on; nil when the manifest does.
    var resumedRows: RunRows? { get }

    /// The bytes of rows that were written so far, in the file that names their records; nil when rows have no length.
    var rowByteCount: Int? { get }

    /// Writes what follows the last answer, puts everything on the disk, and closes the output; nothing may be written
    /// afterwards.
    ///
    /// - Returns: Where the whole output ends.
    /// - Throws: ``OutputError`` when the system reports only now that bytes did not arrive.
    @discardableResult mutating func finish() throws(OutputError) -> SinkCheckpoint
}

extension Sink {
    public var resumedRows: RunRows? { nil }
    public var rowByteCount: Int? { nil }
}
