import Apus
import Foundation
import TestSupport
import Testing

/// `--input`, and lists of pairs of pictures.
@Suite("apus predict: inputs beside the picture")
struct InputValueTests {
    /// Writes a network whose output is the difference of the means of two pictures, multiplied by a factor, and a list
    /// of pairs of which two have no second picture.
    private static func write(to folder: URL) throws -> (model: String, list: String, photos: [String]) {
        let model = folder.appending(path: "pairs.onnx").path
        try Model(
            Graph.build("pairs") { net in
                let first = net.input("first", .float32, [.batch, 3, 16, 16]).globalAveragePool()
                let second = net.input("second", .float32, [.batch, 3, 16, 16]).globalAveragePool()
                let factor = net.input("factor", .float32, [1])
                let difference = first.added(to: second.multiplied(by: -1))
                net.output("difference", difference.flatten().multiplied(by: factor))
            }
        ).export(to: model)
        let photos = Fixtures.photos.map { Fixtures.path("photos/" + $0) }
        var lines = ["path,other"]
        for index in 0..<40 {
            let first = folder.appending(path: "\(index).png")
            try FileManager.default.createSymbolicLink(
                atPath: first.path, withDestinationPath: photos[index % photos.count])
            lines.append("\(index).png,\(index % 10 == 3 ? "" : photos[(index / 2) % photos.count])")
        }
        let list = folder.appending(path: "pairs.csv")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: list)
        return (model, list.path, photos)
    }

    private static let options = ["--task", "raw", "--scale", "1/255", "--quiet", "--input", "factor=0.5"]

    @Test("A pair has the row of its first picture beside the second, in batches, shards and resumed runs")
    func pairs() async throws {
        try await withTemporaryFolder { folder in
            let (model, list, photos) = try Self.write(to: folder)
            func run(_ more: [String]) async throws -> Command.Outcome {
                try await Command.run(["predict", model, list] + Self.options + ["--input", "second=@other"] + more)
            }
            let whole = try await run([])
            #expect(whole.status == 1 && whole.lines.count == 40, "\(whole.errors)")
            #expect(whole.lines[0].hasPrefix(#"{"id":"0.png+\#(photos[0])","outputs":[{"name":"difference""#))
            #expect(whole.lines[0].contains(#""values":[0.0,0.0,0.0]"#))
            #expect(
                whole.lines.count { $0.contains(#"input \"second\" float32[N, 3, 16, 16]: the record has no"#) } == 4)
            for batch in ["1", "4", "32"] {
                #expect(try await run(["--batch", batch]).output == whole.output)
            }
            // One pair alone, with the second picture given for all.
            let alone = try await Command.run(
                ["predict", model, photos[1]] + Self.options + ["--input", "second=\(photos[0])"])
            let values = whole.lines[1].firstRange(of: "outputs").map { whole.lines[1][$0.lowerBound...] }
            #expect(alone.output.hasSuffix("\(values ?? "none")\n"), "\(alone.output) \(alone.errors)")
            // A run that stops early and goes on.
            let output = folder.appending(path: "rows.jsonl").path
            _ = try await run(["-o", output, "--commit-rows", "4", "--max-errors", "1"])
            let part = try String(contentsOfFile: output, encoding: .utf8)
            #expect(!part.isEmpty && part.utf8.count < whole.output.utf8.count)
            _ = try await run(["-o", output, "--resume"])
            #expect(try String(contentsOfFile: output, encoding: .utf8) == whole.output)
            let other = try await Command.run(
                ["predict", model, list] + Self.options.dropLast() + ["factor=0.25", "--input", "second=@other"]
                    + ["-o", output, "--resume"])
            #expect(other.status != 0 && other.errors.contains("inputs"), "\(other.errors)")
        }
    }

    @Test("Standard input has columns between tabs, and JSON Lines have keys")
    func lists() async throws {
        try await withTemporaryFolder { folder in
            let (model, _, photos) = try Self.write(to: folder)
            let lines = folder.appending(path: "lines.txt")
            try Data("\(photos[0])\t\(photos[1])\n\(photos[2])\t\(photos[0])\n".utf8).write(to: lines)
            let command = Command(["predict", model, "-"] + Self.options + ["--input", "second=@2"])
            command.process.standardInput = try FileHandle(forReadingFrom: lines)
            let listed = try await command.outcome()
            #expect(listed.status == 0 && listed.lines.count == 2, "\(listed.errors)")
            let file = folder.appending(path: "list.jsonl").path
            try Data(
                """
                {"path":"\(photos[0])","b":"\(photos[1])"}
                {"path":"\(photos[2])","b":"\(photos[0])"}
                {"path":"\(photos[2])","id":"number","b":0.25}

                """.utf8
            ).write(to: URL(fileURLWithPath: file))
            let written = try await Command.run(["predict", model, file] + Self.options + ["--input", "second=@b"])
            #expect(written.status == 0, "\(written.errors)")
            #expect(Array(written.lines.dropLast()) == Array(listed.lines))
            #expect(written.lines.last?.hasPrefix(#"{"id":"number","#) ?? false)
            let missing = try await Command.run(["predict", model, file] + Self.options + ["--input", "second=@c"])
            #expect(missing.status == 1 && missing.output.contains("the record has no value"))
        }
    }

    @Test("Errors are one line that names the input")
    func errors() async throws {
        try await withTemporaryFolder { folder in
            let (model, _, photos) = try Self.write(to: folder)
            let text = folder.appending(path: "text.npy").path
            try Data("text".utf8).write(to: URL(fileURLWithPath: text))
            let cases: [([String], String)] = [
                ([], "has 2 inputs; predictions need one, for a picture; give the others of"),
                (["second=\(photos[0])", "other=1"], "there is no input \"other\"; the inputs are \"first\""),
                (["second=1,2"], "input \"second\" float32[N, 3, 16, 16] does not take a list of 2 numbers"),
                (["second=nowhere.npy"], "nowhere.npy: no such file"),
                (["second=\(text)"], "\(text): is neither an .npy file nor a picture"),
                (["second"], "it should be NAME=VALUE"), (["second=1", "second=2"], "is given more than once"),
                (["second=@other"], "the record has no value for it"),
            ]
            for (values, message) in cases {
                let outcome = try await Command.run(
                    ["predict", model, photos[0]] + Self.options + values.flatMap { ["--input", $0] })
                #expect(outcome.status != 0)
                #expect((outcome.errors + outcome.output.replacing("\\\"", with: "\"")).contains(message), "\(outcome)")
            }
            let inspected = try await Command.run("inspect", model, "--json")
            #expect(inspected.output.contains("--input factor=VALUE, a number"))
        }
    }
}
