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
            valueName: "file"))
    var trace: String?

    func validate() throws {
        if trace == "" || trace == "-" { throw ValidationError("--trace needs the name of a file") }
    }

    /// Opens the trace, if one is wanted.
    ///
    /// - Parameter files: What the command reads or writes, none of which the trace may be.
    /// - Throws: ``ApusError``.
    func makeTrace(besides files: [String]) throws(ApusError) -> Trace? {
        guard let trace else { return nil }
        let path = URL(fileURLWithPath: trace).standardizedFileURL.path
        let identity = FileIdentity(trace)
        for file in files {
            let isSame =
                URL(fileURLWithPath: file).standardizedFileURL.path == path
                || identity.map { $0.isRegular && $0 == FileIdentity(file) } ?? false
            if isSame { throw .usage("--trace \(trace) is also something else that the command reads or writes") }
        }
        return try Trace(path: trace)
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
