import Apus
import ArgumentParser
import FoundationEssentials
import Logging

/// The options for profiles and traces.
struct RecordingOptions: ParsableArguments {
    @Flag(help: "Print a profile of the runs: by layer, by kind of operator, and the remaining time.")
    var profile = false

    @Option(
        help: ArgumentHelp(
            """
            Write a timeline for https://ui.perfetto.dev, of at most 256 MiB. An interrupted run keeps its events so far.
            """,
            valueName: "file"), completion: .file())
    var trace: String?

    func validate() throws {
        if trace == "" || trace == "-" { throw ValidationError("--trace needs the name of a file") }
    }

    /// Adds the trace to a command's claims.
    ///
    /// - Throws: ``ApusError`` when it may not be written.
    func add(to claims: inout OutputClaims, of command: String) throws(ApusError) {
        if let trace { try claims.add(trace, as: .trace(of: command), option: "--trace") }
    }

    /// Opens the trace of a command; nil unless requested.
    ///
    /// - Throws: ``ApusError``.
    func makeTrace(of command: String) throws(ApusError) -> Trace? {
        try trace.map { path throws(ApusError) in try Trace(path: path, command: command) }
    }
}

extension Trace {
    /// Calls `body`, and closes the trace even if it throws.
    ///
    /// - Throws: The error of `body`, or else ``ApusError`` when the trace could not be written.
    static func closing<Result>(
        _ trace: Trace?, _ logger: Logger, _ body: () async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await body()
        } catch {
            try? trace?.finish()
            throw error
        }
        try trace?.finish()
        if let trace, trace.droppedCount > 0 {
            logger.warning(
                "\(trace.path): is full; \(trace.droppedCount.grouped) events that came later are left out")
        }
        return result
    }
}
