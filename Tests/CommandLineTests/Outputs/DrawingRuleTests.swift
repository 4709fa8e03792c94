import Apus
import Foundation
import TestSupport
import Testing

/// The files that `--draw` writes, and those that it does not change.
@Suite("apus predict --draw: which files", .timeLimit(.minutes(30)))
struct DrawingRuleTests {
    private struct Row: Decodable {
        let id: String
        let error: Apus.RecordError?
    }

    private let photo = Fixtures.path("images/color-420.jpg")

    private func prepare(_ folder: URL, photos: [String]) throws {
        try FixedNetwork.writeDetector(to: folder.appending(path: "fixed.onnx"))
        for name in photos {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(contentsOf: URL(fileURLWithPath: photo)).write(to: file)
        }
    }

    private func predict(_ inputs: String..., options: [String], in folder: URL) async throws -> Command.Outcome {
        try await Command.run(
            ["predict", "fixed.onnx"] + inputs + ["--task", "detect", "--quiet"] + options, in: folder)
    }

    private func rows(_ text: some StringProtocol) throws -> [Row] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    @Test("Photos are never replaced by drawings of them", arguments: [[], ["--force"]])
    func photos(_ options: [String]) async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder, photos: ["dw/a.jpg", "dw/b.jpg"])
            let outcome = try await predict("dw/a.jpg", "dw/b.jpg", options: ["--draw", "."] + options, in: folder)
            #expect(outcome.status == 2 && outcome.errorLines.count == 1 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("dw/a.jpg is one of the inputs"))
            // The ids of a list are not known in advance, so the error is one of the record.
            let command = Command(
                ["predict", "fixed.onnx", "-", "--task", "detect", "--quiet", "--draw", "."] + options, in: folder)
            let pipe = Pipe()
            command.process.standardInput = pipe
            try pipe.fileHandleForWriting.write(contentsOf: Data("dw/a.jpg\ndw/b.jpg\n".utf8))
            try pipe.fileHandleForWriting.close()
            let listed = try await command.outcome()
            #expect(listed.status == 1)
            #expect(try rows(listed.output).map { $0.error?.stage } == ["draw", "draw"])
            for name in ["dw/a.jpg", "dw/b.jpg"] {
                let now = try Data(contentsOf: folder.appending(path: name))
                #expect(try now == Data(contentsOf: URL(fileURLWithPath: photo)))
            }
        }
    }

    @Test("Drawings that are pictures of this run are not replaced")
    func drawingsAsInputs() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder, photos: ["p/a.jpg"])
            let options = ["--draw", "p/drawn"]
            #expect(try await predict("p/a.jpg", options: options, in: folder).status == 0)
            let drawn = folder.appending(path: "p/drawn/p/a.jpg")
            let before = try Data(contentsOf: drawn)
            let again = try await predict("p/a.jpg", "p/drawn/p/a.jpg", options: options + ["--force"], in: folder)
            #expect(again.status == 2 && again.errors.contains("is one of the inputs"))
            #expect(try Data(contentsOf: drawn) == before)
            #expect(try await predict("p/a.jpg", options: options, in: folder).status == 0)
        }
    }

    @Test("Files are not written where the next run would take them for pictures")
    func foldersOfInputs() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder, photos: ["p/a.jpg"])
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "q").path, withDestinationPath: "p")
            for (inputs, draw) in [(["p"], "p"), (["p/"], "p/drawn"), (["q"], "p/x/y"), (["p/a.jpg", "p"], "q")] {
                for options in [[], ["--force"]] {
                    let outcome = try await Command.run(
                        ["predict", "fixed.onnx"] + inputs + ["--task", "detect", "--draw", draw] + options, in: folder)
                    #expect(outcome.status == 2, "\(outcome.errors)")
                    #expect(
                        outcome.errors.contains("--draw \(draw) lies in a folder of the inputs"), "\(outcome.errors)")
                }
            }
            // Folders and files that a listing leaves out.
            for options in [
                ["--draw", "p/.drawn"], ["--draw", "p/drawn", "--exclude", "drawn"],
                ["--draw", "p/drawn", "--include", "a*"], ["--draw", "drawn"], ["--yolo", "p"], ["--voc", "p"],
            ] {
                try? FileManager.default.removeItem(at: folder.appending(path: "p/drawn"))
                let outcome = try await predict("p", options: options, in: folder)
                #expect(outcome.status == 0, "\(options): \(outcome.errors)")
            }
        }
    }

    @Test("An odd id is an error of its record; other drawings are made, the same when the run is resumed")
    func oddIDs() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder, photos: ["a.jpg"])
            try FileManager.default.createDirectory(
                at: folder.appending(path: "victim"), withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "drawn"), withIntermediateDirectories: true)
            let ids = [
                "q.jpg", "q.jpg/z.jpg", [String](repeating: "a", count: 3000).joined(separator: "/"), "up.jpg",
                "../up.jpg",
                "/up.jpg", String(repeating: "é", count: 300), "last",
            ]
            let list = try ids.map { id in
                String(decoding: try JSONEncoder().encode(["id": id, "path": "a.jpg"]), as: UTF8.self) + "\n"
            }
            try Data(list.joined().utf8).write(to: folder.appending(path: "list.jsonl"))
            let options = ["--draw", "drawn", "-o", "rows.jsonl", "--batch", "1"]
            let outcome = try await predict("list.jsonl", options: options, in: folder)
            #expect(outcome.status == 1, "\(outcome.errors)")
            let file = folder.appending(path: "rows.jsonl")
            let whole = try String(contentsOf: file, encoding: .utf8)
            let errors = try rows(whole).map { $0.error?.stage }
            #expect(errors == [nil, "draw", "draw", nil, nil, nil, nil, nil])
            func drawings() throws -> [String] {
                try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: "drawn").path).sorted()
            }
            let names = try drawings()
            #expect(names.count { $0.hasPrefix("up") } == 3, "\(names)")
            #expect(names.contains("q.jpg") && names.contains("up.jpg") && names.contains("last.jpg"), "\(names)")
            #expect(names.count == 6, "\(names)")

            // Leaves a run that stopped at the first error.
            #expect(try await predict("list.jsonl", options: options + ["--on-error", "stop"], in: folder).status == 7)
            #expect(try rows(try String(contentsOf: file, encoding: .utf8)).count == 2)
            #expect(try await predict("list.jsonl", options: options + ["--resume"], in: folder).status == 1)
            #expect(try String(contentsOf: file, encoding: .utf8) == whole)
            #expect(try drawings() == names)
        }
    }

    @Test("Links beneath the folder are not followed")
    func links() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder, photos: ["in/a.jpg", "b.jpg"])
            let manager = FileManager.default
            for name in ["victim", "drawn"] {
                try manager.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
            }
            try manager.createSymbolicLink(
                atPath: folder.appending(path: "drawn/in").path, withDestinationPath: "../victim")
            try Data("precious".utf8).write(to: folder.appending(path: "victim/file"))
            try manager.createSymbolicLink(
                atPath: folder.appending(path: "drawn/b.jpg").path, withDestinationPath: "../victim/file")
            for input in ["in", "b.jpg"] {
                let outcome = try await predict(input, options: ["--draw", "drawn", "--force"], in: folder)
                #expect(outcome.status == 2 && outcome.errors.contains("not followed"), "\(outcome.errors)")
            }
            #expect(try manager.contentsOfDirectory(atPath: folder.appending(path: "victim").path) == ["file"])
            #expect(
                try Data(contentsOf: folder.appending(path: "victim/file")) == Data("precious".utf8))
        }
    }
}
