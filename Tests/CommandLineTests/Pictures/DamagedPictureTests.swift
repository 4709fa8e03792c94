import Foundation
import TestSupport
import Testing

@Suite struct DamagedPictureTests {
    @Test func becomeErrorRowsWhileTheOthersArePredicted() async throws {
        try await withTemporaryFolder { folder in
            let coffee = try Fixtures.data("photos/coffee.png")
            let contents: [(name: String, data: Data, code: String?)] = [
                ("a-bomb.png", try Fixtures.data("images/bad/bomb.png"), "too-large"),
                ("b-empty.jpg", Data(), "empty"),
                ("c-good.png", coffee, nil),
                ("d-page.jpg", Data("<!DOCTYPE html><title>404</title>".utf8), "unrecognized"),
                ("e-png-named.jpg", coffee, nil),
                ("f-truncated.png", coffee.prefix(100_000), "truncated"),
                ("g-truncated.jpg", try Fixtures.data("photos/rocket.jpg").prefix(50_000), "truncated"),
            ]
            for content in contents { try content.data.write(to: folder.appendingPathComponent(content.name)) }
            let outcome = try await Command.run(
                "predict", Fixtures.path(Fixtures.model), "missing.png", ".", in: folder)
            #expect(outcome.status == 1)
            let rows = try Row.all(outcome.lines)
            #expect(rows.map(\.id) == ["missing.png"] + contents.map { "./\($0.name)" })
            #expect(rows.map { $0.error?.code } == ["unreadable"] + contents.map(\.code))
            #expect(
                rows.map { $0.predictions?.first?.label } == [nil] + contents.map { $0.code == nil ? "espresso" : nil })
            #expect(rows[0].error?.stage == "read")
            #expect(rows[1].error?.stage == "decode")
            #expect(outcome.errors.hasPrefix("apus: 2 pictures predicted, 6 errors"))
        }
    }

    @Test(arguments: [(["--on-error", "stop"], 1), (["--max-errors", "0"], 1), (["--max-errors", "1"], 2)])
    func endTheRunWhenAsked(_ options: [String], _ rowCount: Int) async throws {
        let inputs = ["no-1.png", "no-2.png", "no-3.png", "photos/coffee.png"]
        let outcome = try await Command.run(["predict", Fixtures.model] + inputs + options)
        #expect(outcome.status == 7)
        #expect(outcome.lines.count == rowCount)
        #expect(outcome.errors.contains("apus: stopped after \(rowCount) error"))
    }

    @Test func namesCannotSteerATerminalOrASpreadsheet() async throws {
        let name = "=cmd|'/c calc'!A1,\u{1B}[2J\n\".png"
        let table = try await Command.run("predict", Fixtures.model, name, "--format", "table")
        #expect(table.lines.count == 1)
        #expect(!table.output.contains("\u{1B}"))
        let csv = try await Command.run("predict", Fixtures.model, name, "--format", "csv")
        let rows = try StrictCSV.rows(csv.output)
        #expect(rows.count == 2)
        #expect(rows[1][0] == "'" + name.replacingOccurrences(of: "\u{1B}", with: "\\x1B"))
        let json = try await Command.run("predict", Fixtures.model, name, "--format", "jsonl")
        #expect(try Row.all(json.lines).map(\.id) == [name])
    }

    @Test func devicesFoldersAndSilentPipesAreErrorRows() async throws {
        try await withTemporaryFolder { folder in
            #expect(mkfifo(folder.appendingPathComponent("silent.png").path, 0o600) == 0)
            let outcome = try await Command.run(
                "predict", Fixtures.path(Fixtures.model), "/dev/zero", "silent.png", "/dev/null", "--timeout", "1",
                in: folder)
            #expect(outcome.status == 1)
            let rows = try Row.all(outcome.lines)
            #expect(rows.map { $0.error?.code } == ["unreadable", "deadline", "unreadable"])
            #expect(rows[0].error?.message == "is a device, not a file")
        }
    }

    @Test func aPictureMayComeThroughAPipe() async throws {
        let command = Command([])
        command.process.executableURL = URL(fileURLWithPath: "/bin/sh")
        command.process.arguments = [
            "-c", "cat photos/coffee.png | \"$0\" predict \(Fixtures.model) /dev/stdin", Command.executable.path,
        ]
        let rows = try Row.all(try await command.outcome().lines)
        #expect(rows.first?.predictions?.first?.label == "espresso")
    }
}
