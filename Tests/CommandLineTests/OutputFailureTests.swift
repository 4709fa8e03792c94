import Foundation
import Testing

@Suite struct OutputFailureTests {
    @Test func aReaderThatLeavesIsNoError() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let command = Command(["predict", Fixtures.model, "photos"])
        let outcome = try await command.outcome(output: pipe.fileHandleForWriting)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
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
            let file = folder.appendingPathComponent("results.jsonl")
            let command = Command([])
            command.process.executableURL = URL(fileURLWithPath: "/bin/sh")
            command.process.arguments = [
                "-c", "ulimit -f 1; exec \"$0\" \"$@\"", Command.executable.path, "predict", Fixtures.model, "photos",
                "-o", file.path,
            ]
            let outcome = try await command.outcome(output: .nullDevice)
            #expect(outcome.status == 5)
            let text = try String(contentsOf: file, encoding: .utf8)
            let rows = try Row.all(text.split(separator: "\n"))
            #expect(!rows.isEmpty && rows.count < 4)
            #expect(text.hasSuffix("\n"))
            #expect(outcome.errors.contains("(\(rows.count) row"))
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
            let command = Command(["predict", Fixtures.model, pictures.path, "-o", file.path])
            command.send(signal, onceWritten: file)
            let outcome = try await command.outcome()
            #expect(outcome.status == 6)
            let rows = try Row.all(try String(contentsOf: file, encoding: .utf8).split(separator: "\n"))
            #expect(!rows.isEmpty && rows.count < 2000)
            #expect(outcome.errors == "apus: interrupted after \(rows.count) of 2000 pictures\n")
        }
    }
}
