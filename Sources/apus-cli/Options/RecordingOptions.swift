import Apus
import ArgumentParser
import Foundation
import Logging

/// Whether a command says where the time goes.
struct RecordingOptions: ParsableArguments {
    @Flag(help: "Print where the time of runs goes: by layer, by kind of operator, and what is left.")
    var profile = false

    @Option(
        help: ArgumentHelp(
            """
            Write what happens when, for https://ui.perfetto.dev: up to 256 MiB. A run that is interrupted leaves what \
            it has.
            """,
            valueName: "file"), completion: .file())
    var trace: String?

    func validate() throws {
        if trace == "" || trace == "-" { throw ValidationError("--trace needs the name of a file") }
    }

    /// Adds the trace to what a command writes.
    ///
    /// - Throws: ``ApusError`` when it may not be written.
    func add(to claims: inout OutputClaims, of command: String) throws(ApusError) {
        if let trace { try claims.add(trace, as: .trace(of: command), option: "--trace") }
    }

    /// Opens the trace of a command, if one is wanted.
    ///
    /// - Throws: ``ApusError``.
    func makeTrace(of command: String) throws(ApusError) -> Trace? {
        try trace.map { path throws(ApusError) in try Trace(path: path, command: command) }
    }
}

extension Trace {
    /// Calls `body`, and closes the trace whatever it throws.
    ///
    /// - Throws: What `body` throws; otherwise ``ApusError`` when the trace could not be written.
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
