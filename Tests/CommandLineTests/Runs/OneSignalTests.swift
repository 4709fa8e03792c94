import Foundation
import TestSupport
import Testing

/// A signal ends the command, regardless of what it reads or waits for.
@Suite(.timeLimit(.minutes(30))) struct OneSignalTests {
    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func aPictureThatNeverComesIsGivenUpAndResumed(_ signal: Int32) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 3)
            let pipe = folder.appendingPathComponent("silent.png")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            let arguments = pictures.arguments + ["silent.png", "--timeout", "3600", "-o", "rows.jsonl", "--resume"]
            let command = Command(arguments, in: folder)
            command.send(signal, onceWritten: folder.appendingPathComponent("rows.jsonl.run.json"))
            let outcome = try await command.outcome()
            #expect(outcome.status == 6, "\(outcome.errors)")
            #expect(outcome.errors.contains("apus: interrupted after "))
            try FileManager.default.removeItem(at: pipe)
            try Fixtures.data("images/grey-16.png").write(to: pipe)
            #expect(try await Command.run(arguments, in: folder).status == 0)
            let text = try String(contentsOf: folder.appendingPathComponent("rows.jsonl"), encoding: .utf8)
            let ids = try Row.all(text.split(separator: "\n")).map(\.id)
            #expect(ids == (0..<3).map { "pictures/0000\($0).png" } + ["silent.png"])
        }
    }

    @Test(arguments: [nil, "/dev/zero"])
    func aListThatHasNoEndIsLeft(_ source: String?) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 1)
            let arguments = pictures.arguments.map { $0 == "pictures" ? "-" : $0 } + ["-o", "rows.jsonl"]
            let silence = Pipe()
            let command = Command(arguments + ["--stdin", "nul"], in: folder)
            command.process.standardInput = try source.map { try #require(FileHandle(forReadingAtPath: $0)) } ?? silence
            command.send(SIGTERM, onceWritten: folder.appendingPathComponent("rows.jsonl.run.json"))
            let outcome = try await command.outcome()
            #expect(outcome.status == 6, "\(outcome.errors)")
            try silence.fileHandleForWriting.close()
        }
    }

    @Test func listsAreFilesOrPipes() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 1)
            #expect(symlink("/dev/zero", folder.appendingPathComponent("list.csv").path) == 0)
            let arguments = pictures.arguments.map { $0 == "pictures" ? "list.csv" : $0 }
            let outcome = try await Command.run(arguments + ["-o", "rows.jsonl"], in: folder)
            #expect(outcome.status == 5)
            #expect(outcome.errors == "apus: list.csv: is a device, not a file\n")
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("rows.jsonl").path))
        }
    }

    @Test func aPipeIsWaitedForUntilSomebodyWrites() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 1)
            let pipe = folder.appendingPathComponent("late.png").path
            try #require(mkfifo(pipe, 0o600) == 0)
            let arguments = pictures.arguments.map { $0 == "pictures" ? "late.png" : $0 } + ["--timeout", "600"]
            let command = Command(arguments + ["-o", "rows.jsonl"], in: folder)
            let manifest = folder.appendingPathComponent("rows.jsonl.run.json").path
            let picture = try Fixtures.data("images/grey-16.png")
            Thread.detachNewThread {
                // The run begins before the pipe is opened for writing.
                for _ in 0..<12_000 where !FileManager.default.fileExists(atPath: manifest) {
                    Thread.sleep(forTimeInterval: 0.01)
                }
                Thread.sleep(forTimeInterval: 0.2)
                try? FileHandle(forWritingAtPath: pipe)?.write(contentsOf: picture)
            }
            let outcome = try await command.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func aCommandThatNohupStartedOutlivesItsTerminal() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 1)
            try #require(mkfifo(folder.appendingPathComponent("silent.png").path, 0o600) == 0)
            let command = Command([], in: folder)
            let arguments = pictures.arguments.map { $0 == "pictures" ? "silent.png" : $0 }
            command.process.executableURL = URL(fileURLWithPath: "/usr/bin/nohup")
            command.process.arguments = [Command.executable.path] + arguments + ["--timeout", "2", "-o", "rows.jsonl"]
            command.send(SIGHUP, onceWritten: folder.appendingPathComponent("rows.jsonl.run.json"))
            let outcome = try await command.outcome()
            #expect(outcome.status == 1, "\(outcome.errors)")
            let rows = try String(contentsOf: folder.appendingPathComponent("rows.jsonl"), encoding: .utf8)
            #expect(try Row.all(rows.split(separator: "\n")).map { $0.error?.code } == ["deadline"])
        }
    }

    @Test func measuringSaysThatItWaitsForALockAndIsInterrupted() async throws {
        try await withTemporaryFolder { folder in
            let times = folder.appendingPathComponent("times.json")
            let lock = open(times.path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
            defer { close(lock) }
            let errors = folder.appendingPathComponent("said")
            // The shell writes its errors to a file, which shows when the command waits.
            let command = Command([], in: folder)
            command.process.executableURL = URL(fileURLWithPath: "/bin/sh")
            command.process.arguments = [
                "-c", "exec \"$0\" tune \"$1\" --threads 1 --tuning-file \"$2\" 2> said", Command.executable.path,
                Fixtures.path(Fixtures.model), times.path,
            ]
            command.send(SIGTERM, onceWritten: errors)
            let outcome = try await command.outcome()
            #expect(outcome.status == 6)
            let lines = try String(contentsOf: errors, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first == "apus: warning: waiting for another process that writes \(times.path)")
            #expect(lines.last?.hasPrefix("apus: interrupted") == true)
        }
    }
}
