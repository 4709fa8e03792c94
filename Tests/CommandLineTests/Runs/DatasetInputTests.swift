import Apus
import Foundation
import TestSupport
import Testing

/// Inputs of `apus predict` that are more than pictures and folders.
@Suite struct DatasetInputTests {
    private static let coffee = Fixtures.path("photos/coffee.png")
    private static let rocket = Fixtures.path("photos/rocket.jpg")

    /// Runs a command with bytes on its standard input.
    private static func run(_ arguments: [String], input: Data) async throws -> Command.Outcome {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("input")
            try input.write(to: file)
            let command = Command(arguments)
            command.process.standardInput = try FileHandle(forReadingFrom: file)
            return try await command.outcome()
        }
    }

    @Test func inputsOfSeveralKindsAreRecognisedAndKeepTheirOrder() async throws {
        try await withTemporaryFolder { folder in
            let list = folder.appendingPathComponent("list.csv")
            try Data("id,path\nfirst,\(Self.rocket)\nsecond,\(Self.coffee)\n".utf8).write(to: list)
            let outcome = try await Command.run(
                "predict", Fixtures.model, Self.coffee, list.path, "datasets/odd.tar", "datasets/rgb.npy")
            let rows = try Row.all(outcome.lines)
            let tar = ["link.png", "alone", "two.left.png", "two.right.png", "web.webp", "broken.png"]
            #expect(
                rows.map(\.id) == [Self.coffee, "first", "second"] + tar.map { "datasets/odd.tar/\($0)" }
                    + (0..<5).map { "datasets/rgb.npy[\($0)]" })
            #expect(rows.prefix(3).map { $0.predictions?.first?.label } == ["espresso", "pole", "espresso"])
            #expect(outcome.status == 1)
            #expect(rows.filter { $0.error == nil }.count == 10)
        }
    }

    @Test(arguments: [("lines", "\n"), ("nul", "\0")])
    func standardInputListsPictures(form: String, separator: String) async throws {
        let text = [Self.coffee, "none.png", Self.rocket].map { $0 + separator }.joined()
        let outcome = try await Self.run(["predict", Fixtures.model, "-", "--stdin", form], input: Data(text.utf8))
        let rows = try Row.all(outcome.lines)
        #expect(rows.map(\.id) == [Self.coffee, "none.png", Self.rocket])
        #expect(rows.map { $0.predictions?.first?.label } == ["espresso", nil, "pole"])
        #expect(outcome.status == 1)
    }

    @Test func standardInputListsJSON() async throws {
        let text = "{\"id\":1,\"path\":\"\(Self.coffee)\"}\n{\"id\":2,\"path\":\"\(Self.rocket)\"}\n"
        let outcome = try await Self.run(["predict", Fixtures.model, "-", "--stdin", "jsonl"], input: Data(text.utf8))
        #expect(try Row.all(outcome.lines).map(\.id) == ["1", "2"])
        let damaged = try await Self.run(
            ["predict", Fixtures.model, "-", "--stdin", "jsonl"], input: Data((text + "{\n").utf8))
        #expect(damaged.status == 5)
        #expect(damaged.errors.contains("standard input: line 3: is not a JSON object"))
    }

    @Test func aRepeatOnStandardInputEndsTheRun() async throws {
        let text = [Self.coffee, Self.coffee].joined(separator: "\n")
        let outcome = try await Self.run(["predict", Fixtures.model, "-", "--batch", "1"], input: Data(text.utf8))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("\(Self.coffee): is given more than once"))
    }

    @Test func rawFramesArePredicted() async throws {
        let frame = Data((0..<64 * 48 * 3).map { UInt8($0 / 64) })
        let outcome = try await Self.run(
            ["predict", Fixtures.model, "-", "--frames", "64x48xrgb24@4", "--fps", "2", "--top", "1"],
            input: frame + frame + frame + frame.prefix(100))
        let rows = try Row.all(outcome.lines)
        #expect(rows.map(\.id) == ["frame-000000", "frame-000002", "frame-000003"])
        #expect(rows.map { $0.error?.code } == [nil, nil, "truncated"])
        #expect(rows.map(\.time) == [0, 0.5, 0.75])
        #expect(rows[0].predictions?.first?.confidence == rows[1].predictions?.first?.confidence)
    }

    @Test(
        arguments: [
            ("empty", "empty: holds no pictures"), ("a.csv", "a.csv: lists no pictures"),
            ("a.tsv", "a.tsv: lists no pictures"), ("a.jsonl", "a.jsonl: lists no pictures"),
            ("a.tar", "a.tar: holds no pictures"), ("a.npy", "a.npy: holds no pictures"),
        ])
    func anInputWithoutRecordsIsAnError(name: String, message: String) async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("empty"), withIntermediateDirectories: true)
            for list in ["a.csv", "a.tsv"] { try Data("path\n".utf8).write(to: folder.appendingPathComponent(list)) }
            try Data().write(to: folder.appendingPathComponent("a.jsonl"))
            try Data(count: 10_240).write(to: folder.appendingPathComponent("a.tar"))
            try Tensor([] as [Float], shape: [0, 3]).write(
                toNumPyFile: folder.appendingPathComponent("a.npy").path)
            for inputs in [[name], [Fixtures.path("photos"), name]] {
                let outcome = try await Command.run(
                    ["predict", Fixtures.path(Fixtures.model)] + inputs + ["-o", "rows.csv"], in: folder)
                #expect(outcome.status == 5 && outcome.errors == "apus: \(message)\n", "\(outcome.errors)")
            }
        }
    }

    @Test(
        arguments: [
            ("photos --frames 1x1", 2, "'1x1' is invalid"),
            ("photos --fps 2", 2, "--frames says what others are"),
            ("photos coffee.png --frames 1x1xgray", 2, "frames come from one input"),
            ("- --frames 8x8xgray --fps 2", 2, "needs the source's rate"),
            ("- -", 2, "standard input (-) is given more than once"),
            ("photos --include *.gif", 5, "holds no files that match a pattern"),
            ("datasets/bomb.npz", 5, "its size in the archive differs"),
            ("- --frames 8x8xgray", 5, "standard input: gives no frames"),
            ("-", 5, "standard input: lists no pictures"),
            ("missing.csv", 5, "missing.csv: no such file"),
            ("missing.tar", 5, "missing.tar: no such file"),
        ])
    func wrongInputsAreOneLine(arguments: String, status: Int32, message: String) async throws {
        let outcome = try await Command.run(
            ["predict", Fixtures.model] + arguments.split(separator: " ").map(String.init))
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.output.isEmpty)
    }
}
