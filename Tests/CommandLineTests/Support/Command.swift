import Foundation
import TestSupport
import Testing

/// The built command, run as a user runs it.
struct Command {
    /// The result of a run.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// The lines of standard error.
        var errorLines: [Substring] { errors.split(separator: "\n") }

        /// The lines of standard output.
        var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
    }

    /// The executable, which is built beside the tests.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("apus")

    let process = Process()

    init(_ arguments: [String], in folder: URL = Fixtures.folder, environment: [String: String] = [:]) {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Tuning files of this machine must not influence tests.
        let base = ProcessInfo.processInfo.environment.merging(["XDG_CACHE_HOME": "/dev/null"]) { $1 }
        process.environment = base.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., in folder: URL = Fixtures.folder, environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await run(arguments, in: folder, environment: environment)
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: [String], in folder: URL = Fixtures.folder, environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await Command(arguments, in: folder, environment: environment).outcome()
    }

    /// Signals the process once `file` has more than `byteCount` bytes, or after two minutes. Waits on a thread of its
    /// own, since other tests may keep the pool's threads busy.
    func send(_ signal: Int32, onceWritten file: URL, moreThan byteCount: Int = 0) {
        Thread.detachNewThread {
            for _ in 0..<12_000 {
                let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
                if attributes?[.size] as? Int ?? 0 > byteCount { break }
                Thread.sleep(forTimeInterval: 0.01)
            }
            if process.isRunning { kill(process.processIdentifier, signal) }
        }
    }

    /// Starts the process and waits for its end; standard output and error go to `output` and `errors` if these are
    /// given.
    func outcome(output: FileHandle? = nil, errors: FileHandle? = nil) async throws -> Outcome {
        try await withTemporaryFolder { folder in
            let files = ["output", "errors"].map { folder.appendingPathComponent($0) }
            for file in files { try Data().write(to: file) }
            let handles = try files.map { try FileHandle(forWritingTo: $0) }
            process.standardOutput = output ?? handles[0]
            process.standardError = errors ?? handles[1]
            try await finish()
            for handle in handles { try handle.close() }
            return Outcome(
                status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
                output: String(decoding: try Data(contentsOf: files[0]), as: UTF8.self),
                errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self))
        }
    }

    private func finish() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
