import Foundation
import TestSupport
import Testing

@Suite struct OutputFailureTests {
    @Test(
        "A reader that leaves before the end is no success: the process ends by SIGPIPE, as others do",
        arguments: [
            ["predict", Fixtures.model, "photos", "--quiet"], ["predict", Fixtures.model, "photos", "--json"],
            ["predict", Fixtures.model, "photos", "--format", "csv"],
            ["predict", Fixtures.model, "photos", "-o", "/dev/stdout", "--format", "table"],
            [
                "evaluate", Fixtures.model, "photos/coffee.png", "--label-pattern", "photos/([a-z]+)",
                "--skip-unknown-labels",
            ],
            ["merge", "--verify", "photos/coffee.png", "--json"], ["export", Fixtures.model, "-o", "-"],
        ])
    func aReaderThatLeaves(_ arguments: [String]) async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let outcome = try await Command(arguments).outcome(output: pipe.fileHandleForWriting)
        #expect(outcome.status == -SIGPIPE, "\(outcome.errors)")
    }

    @Test(
        "A reader that has seen enough of a description is no error",
        arguments: [
            ["inspect", Fixtures.model], ["plan", Fixtures.model, "--why"], ["devices"], ["--help"],
            ["predict", "--help"],
        ])
    func aReaderOfDescriptions(_ arguments: [String]) async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let outcome = try await Command(arguments).outcome(output: pipe.fileHandleForWriting)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
    }

    @Test("A pipe that an output is written to, and whose reader leaves with rows unread, is no success either")
    func aReaderOfANamedPipe() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 2000)
            let pipe = folder.appendingPathComponent("rows")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            Thread.detachNewThread {
                guard let reader = FileHandle(forReadingAtPath: pipe.path) else { return }
                _ = try? reader.read(upToCount: 100)
                try? reader.close()
            }
            let outcome = try await Command.run(
                pictures.arguments + ["-o", "rows", "--format", "jsonl"], in: folder)
            #expect(outcome.status == -SIGPIPE, "\(outcome.errors)")
        }
    }

    @Test(arguments: [
        ["predict", Fixtures.model, "photos"], ["predict", Fixtures.model, "photos", "--json"],
        ["inspect", Fixtures.model], ["plan", Fixtures.model], ["devices", "--json"], ["--help"], ["--version"],
    ])
    func aFullDiskIsAnError(_ arguments: [String]) async throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let outcome = try await Command(arguments).outcome(output: full)
        #expect(outcome.status == 5)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("apus: standard output: No space left on device"))
    }

    @Test func aFileAtItsLimitKeepsWholeRows() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 200)
            let file = folder.appendingPathComponent("results.jsonl")
            let command = Command([], in: folder)
            command.process.executableURL = URL(fileURLWithPath: "/bin/sh")
            command.process.arguments = ["-c", "ulimit -f 16; exec \"$0\" \"$@\"", Command.executable.path]
            command.process.arguments? += pictures.arguments + ["-o", file.path]
            let outcome = try await command.outcome(output: .nullDevice)
            #expect(outcome.status == 5)
            let text = try String(contentsOf: file, encoding: .utf8)
            let rows = try Row.all(text.split(separator: "\n"))
            #expect(!rows.isEmpty && rows.count < 200)
            #expect(text.hasSuffix("\n"))
            #expect(outcome.errors.contains("row"))
            let resumed = try await Command.run(pictures.arguments + ["-o", file.path, "--resume"], in: folder)
            #expect(resumed.status == 1)
            #expect(try Data(contentsOf: file) == Data(try await pictures.rows().utf8))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func anInterruptedRunKeepsWholeRows(_ signal: Int32) async throws {
        try await withTemporaryFolder { folder in
            let pictures = folder.appendingPathComponent("pictures")
            try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
            for index in 0..<2000 {
                try FileManager.default.createSymbolicLink(
                    atPath: pictures.appendingPathComponent("\(index).png").path,
                    withDestinationPath: Fixtures.path("photos/coffee.png"))
            }
            let file = folder.appendingPathComponent("results.jsonl")
            let command = Command(["predict", Fixtures.model, pictures.path, "-o", file.path, "--progress", "never"])
            command.send(signal, onceWritten: file)
            let outcome = try await command.outcome()
            #expect(outcome.status == 6)
            let rows = try Row.all(try String(contentsOf: file, encoding: .utf8).split(separator: "\n"))
            #expect(!rows.isEmpty && rows.count < 2000)
            #expect(outcome.errors.hasPrefix("apus: interrupted after \(rows.count) of 2000 pictures; go on with: "))
            #expect(outcome.errors.hasSuffix(" --resume\n"))
        }
    }
}
