import Foundation
import Testing

/// Processes that the system gives little of its memory, as `ulimit` says.
@Suite("Little memory and short stacks")
struct AddressSpaceTests {
    /// Runs the command beneath a limit of the shell.
    private func run(_ limit: String, _ arguments: [String]) async throws -> Command.Outcome {
        let command = Command(arguments)
        command.process.arguments =
            ["-c", "\(limit) && exec \"$0\" \"$@\"", Command.executable.path] + arguments
        command.process.executableURL = URL(fileURLWithPath: "/bin/bash")
        return try await command.outcome()
    }

    @Test(
        "What is the process's shortage ends the command with 5, and is no picture's error",
        arguments: Array(stride(from: 200_000, through: 900_000, by: 50_000)))
    func addressSpace(kibibytes: Int) async throws {
        let arguments = ["predict", Fixtures.model, "photos", "--format", "jsonl", "--quiet"]
        let outcome = try await run("ulimit -v \(kibibytes)", arguments)
        // Where not even the program's libraries fit, the system's loader says so and gives 127.
        #expect([0, 5, 127].contains(outcome.status), "\(outcome)")
        #expect(!outcome.output.contains("\"error\":{"), "\(outcome.output)")
        if outcome.status == 5 {
            #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("apus: "), "\(outcome.errors)")
        }
    }

    @Test("Short stacks of the shell shorten no thread's", arguments: [64, 128, 256])
    func stacks(kibibytes: Int) async throws {
        for arguments in [["inspect", Fixtures.model], ["predict", Fixtures.model, "photos", "--quiet"]] {
            let outcome = try await run("ulimit -S -s \(kibibytes)", arguments)
            #expect(outcome.status == 0, "\(outcome)")
        }
    }
}
