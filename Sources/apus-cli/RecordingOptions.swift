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

    /// Opens the trace, if one is wanted.
    ///
    /// - Parameters:
    ///   - command: The command's name.
    ///   - claims: What the command reads and writes, none of which the trace may be.
    /// - Throws: ``ApusError``.
    func makeTrace(of command: String, _ claims: inout OutputClaims) throws(ApusError) -> Trace? {
        guard let trace else { return nil }
        try claims.add(trace, as: .trace(of: command), option: "--trace")
        return try Trace(path: trace, command: command)
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
