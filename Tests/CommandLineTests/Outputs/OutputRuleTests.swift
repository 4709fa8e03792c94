import Apus
import Foundation
import TestSupport
import Testing

/// A command may replace a file that an earlier run of the same command made, and other files by force, but never a
/// file that it reads or that belongs to another run.
@Suite("Which files commands write", .timeLimit(.minutes(30)))
struct OutputRuleTests {
    /// A command whose output is called `out`.
    struct Writer: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        var file = "out"

        init(_ arguments: String, file: String = "out") {
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.file = file
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    /// Makes a small network with its files, photos that are not links, an array, and unrelated files.
    private func prepare(_ folder: URL) throws {
        _ = try Pictures(in: folder, count: 1)
        try FixedNetwork.writeDetector(to: folder.appending(path: "fixed.onnx"))
        try FileManager.default.createDirectory(at: folder.appending(path: "photos"), withIntermediateDirectories: true)
        for name in ["color-420.jpg", "grey.jpg"] {
            try Fixtures.data("images/\(name)").write(to: folder.appending(path: "photos/\(name)"))
        }
        for (name, text) in [
            ("labels.csv", "path,label\nphotos/grey.jpg,3\nphotos/color-420.jpg,2\n"), ("classes.txt", "a\nb\n"),
            (
                "small.preprocessor_config.json",
                "{\"size\": {\"height\": 32, \"width\": 32}, \"do_center_crop\": false}"
            ),
        ] { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try Tensor([Float](repeating: 0, count: 3072), shape: [1, 3, 32, 32]).write(
            toNumPyFile: folder.appending(path: "image.npy").path)
    }

    /// The content of every file and link of a folder.
    private func content(of folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let path = folder.appending(path: name).path
            if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                files[name] = Data("→ \(link)".utf8)
            } else {
                files[name] = FileManager.default.contents(atPath: path) ?? Data()
            }
        }
        return files
    }

    @Test(
        "A stranger's file is replaced by force alone, one that the same command made always",
        arguments: [
            Writer("predict small.onnx photos --quiet --format csv -o out"),
            Writer("predict small.onnx photos --quiet --trace out"),
            Writer("evaluate small.onnx labels.csv --report out"),
            Writer("run small.onnx --input image=image.npy -o arrays", file: "arrays/scores.npy"),
            Writer("export small.onnx -o out"), Writer("generate small.onnx -o out"),
            Writer("quantize small.onnx --calibrate photos --float-layers 0 -o out"),
            Writer("quantize small.onnx --calibrate photos --float-layers 0 -o q.onnx --report out"),
            Writer("bench small.onnx --time 0.01 --warm-up 0 --report out"),
            Writer("bench small.onnx --time 0.01 --warm-up 0 --trace out"),
            Writer("compare small.onnx --seconds 0.01 --rounds 1 --report out"),
            Writer("predict fixed.onnx photos --quiet --task detect --draw drawn", file: "drawn/photos/grey.jpg"),
        ])
    func strangers(_ writer: Writer) async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let file = folder.appending(path: writer.file)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("mine\n".utf8).write(to: file)
            let before = try content(of: folder)
            let refused = try await Command.run(writer.arguments, in: folder)
            #expect(refused.status == 2)
            #expect(refused.errorLines.count == 1 && refused.output.isEmpty)
            #expect(refused.errors.contains(writer.file) && refused.errors.contains("--force"), "\(refused.errors)")
            #expect(try content(of: folder) == before)
            let forced = try await Command.run(writer.arguments + ["--force"], in: folder)
            #expect(forced.status == 0, "\(forced.errors)")
            let made = try Data(contentsOf: file)
            #expect(made != Data("mine\n".utf8))
            let again = try await Command.run(writer.arguments, in: folder)
            #expect(again.status == 0, "\(again.errors)")
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.hasSuffix(".partial") || $0.hasSuffix(".lock") }, "\(names)")
        }
    }

    @Test("What is read, what another run needs, and another output are never replaced, also by force")
    func inputs() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let manager = FileManager.default
            func path(_ name: String) -> String { folder.appending(path: name).path }
            try manager.createSymbolicLink(atPath: path("link.onnx"), withDestinationPath: "small.onnx")
            try manager.linkItem(atPath: path("small.onnx"), toPath: path("hard.onnx"))
            try manager.createSymbolicLink(atPath: path("folder"), withDestinationPath: "photos")
            // A file that a model refers to as external weights.
            try Data("weights".utf8).write(to: folder.appending(path: "scores"))
            for arguments in [
                ["predict", "small.onnx", "photos/grey.jpg", "-o", "rows.npy", "--quiet"],
                ["predict", "small.onnx", "photos", "-o", "part1.jsonl", "--quiet", "--shard", "1/2"],
                ["predict", "small.onnx", "photos", "-o", "part2.jsonl", "--quiet", "--shard", "2/2"],
                ["predict", "small.onnx", "photos", "-o", "rows.csv", "--quiet"],
                ["merge", "part1.jsonl", "part2.jsonl", "-o", "merged.jsonl", "--quiet"],
            ] { #expect(try await Command.run(arguments, in: folder).status == 0) }
            try Data("path\nrows.csv\n".utf8).write(to: folder.appending(path: "list.csv"))
            let before = try content(of: folder)
            for arguments in [
                "predict small.onnx photos --format jsonl -o small.onnx",
                "predict small.onnx photos --format jsonl -o ./link.onnx",
                "predict small.onnx photos --format jsonl -o hard.onnx",
                "predict small.onnx photos --format jsonl -o small.preprocessor_config.json",
                "predict small.onnx photos --format jsonl -o small.config.json",
                "predict small.onnx photos --labels classes.txt --format jsonl -o classes.txt",
                "predict small.onnx labels.csv -o labels.csv",
                "predict small.onnx photos --format csv -o photos/grey.jpg",
                "predict small.onnx photos --format csv -o folder/grey.jpg",
                "predict small.onnx image.npy -o image.npy", "predict small.onnx photos --format jsonl -o scores",
                "predict small.onnx photos -o rows.csv.run.json --format jsonl",
                "predict small.onnx photos -o rows.npy.records.jsonl", "predict small.onnx photos -o merged.jsonl",
                "predict small.onnx photos -o new.csv --trace new.csv.run.json",
                "predict small.onnx photos -o new.csv --trace ./new.csv", "predict small.onnx list.csv -o rows.csv",
                "predict small.onnx photos --trace rows.csv.run.json",
                "predict small.onnx photos --trace photos/grey.jpg", "predict small.onnx photos --trace rows.csv",
                "evaluate small.onnx labels.csv --report labels.csv",
                "evaluate small.onnx labels.csv --report photos/grey.jpg",
                "compare small.onnx photos --report photos/grey.jpg", "compare small.onnx --report new --trace new",
                "bench small.onnx --report small.onnx", "bench small.onnx --report rows.npy.run.json",
                "export small.onnx -o small.onnx", "export small.onnx -o hard.onnx", "export link.onnx -o small.onnx",
                "export small.onnx -o scores", "generate small.onnx -o small.onnx",
                "generate small.onnx -o rows.csv.run.json",
                "quantize small.onnx --calibrate photos -o photos/grey.jpg",
                "run small.onnx --input image=scores.npy -o .",
                "merge part1.jsonl part2.jsonl -o part1.jsonl", "merge part1.jsonl part2.jsonl -o part2.jsonl.run.json",
                "merge part1.jsonl part2.jsonl -o rows.csv",
            ] {
                let words = arguments.split(separator: " ").map(String.init)
                if words[0] == "run" {
                    try manager.copyItem(atPath: path("image.npy"), toPath: path("scores.npy"))
                }
                let outcome = try await Command.run(words + ["--force"], in: folder)
                #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
                #expect(outcome.errorLines.count == 1, "\(arguments): \(outcome.errors)")
                if words[0] == "run" { try manager.removeItem(atPath: path("scores.npy")) }
                #expect(try content(of: folder) == before, "\(arguments)")
            }
        }
    }

    @Test("Pipes and devices are written as they are, and links to files stay links")
    func streamsAndLinks() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let fifo = folder.appending(path: "fifo").path
            try #require(mkfifo(fifo, 0o600) == 0)
            let reader = try #require(FileHandle(forUpdatingAtPath: fifo))
            #expect(try await Command.run("generate", "small.onnx", "-o", "fifo", in: folder).status == 0)
            #expect(String(decoding: reader.availableData, as: UTF8.self).contains("class Fifo"))
            var status = stat()
            #expect(lstat(fifo, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
            for arguments in [
                ["generate", "small.onnx", "-o"], ["export", "small.onnx", "-o"],
                ["predict", "small.onnx", "photos", "--quiet", "-o"],
                ["predict", "small.onnx", "photos", "--quiet", "--trace"],
            ] { #expect(try await Command.run(arguments + ["/dev/null"], in: folder).status == 0) }
            let rows = try await Command.run("predict", "small.onnx", "photos", "-o", "/dev/stdout", in: folder)
            #expect(rows.status == 0 && rows.lines.count == 2)

            try FileManager.default.createDirectory(
                at: folder.appending(path: "elsewhere"), withIntermediateDirectories: true)
            for (name, arguments) in [
                ("type.swift", ["generate", "small.onnx", "-o"]),
                ("rows.csv", ["predict", "small.onnx", "photos", "--quiet", "-o"]),
            ] {
                let link = folder.appending(path: name).path
                let file = folder.appending(path: "elsewhere/\(name)")
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere/\(name)")
                let dangling = try await Command.run(arguments + [name], in: folder)
                #expect(dangling.status == 2 && dangling.errors.contains("is a link to a file that is not there"))
                try Data().write(to: file)
                #expect(try await Command.run(arguments + [name], in: folder).status == 0)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "elsewhere/\(name)")
                #expect(try Data(contentsOf: file).count > 50)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "elsewhere").path)
            #expect(Set(names) == ["type.swift", "rows.csv", "rows.csv.run.json", "rows.csv.run.list"])
        }
    }

    @Test("A list that a killed run left does not stand in the way, and another file of its name does")
    func leftList() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let list = folder.appending(path: "rows.csv.run.list")
            let arguments = ["predict", "small.onnx", "photos", "--quiet", "--resume", "-o", "rows.csv"]
            try Data("precious".utf8).write(to: list)
            let refused = try await Command.run(arguments, in: folder)
            #expect(refused.status == 2 && refused.errors.contains("rows.csv.run.list"), "\(refused.errors)")
            #expect(try Data(contentsOf: list) == Data("precious".utf8))
            try Data("apus list 1\n<".utf8).write(to: list)
            #expect(try await Command.run(arguments, in: folder).status == 0)
        }
    }

    @Test("Files beside an output are not written through links, and those that killed runs left go")
    func sideFiles() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let victim = folder.appending(path: "victim")
            try Data("precious".utf8).write(to: victim)
            let arguments = ["predict", "small.onnx", "photos", "--quiet", "-o"]
            for name in ["rows.csv.run.lock", "rows.csv.run.json.partial", "rows.csv.partial", "times.json.partial"] {
                try FileManager.default.createSymbolicLink(
                    at: folder.appending(path: name), withDestinationURL: victim)
            }
            let left = folder.appending(path: "rows.csv.run.json.0123456789abcdef.partial")
            try Data("{".utf8).write(to: left)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: left.path)
            #expect(try await Command.run(arguments + ["rows.csv"], in: folder).status == 0)
            #expect(!FileManager.default.fileExists(atPath: left.path))
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "times.json.lock"), withDestinationURL: victim)
            let tuning = try await Command.run("tune", "small.onnx", "--tuning-file", "times.json", in: folder)
            #expect(tuning.status == 5 && tuning.errors.contains("times.json.lock"), "\(tuning.errors)")
            for suffix in [".run.json", ".records.jsonl"] {
                let link = folder.appending(path: "scores.npy" + suffix)
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim)
                #expect(try await Command.run(arguments + ["scores.npy"], in: folder).status != 0)
                try FileManager.default.removeItem(at: link)
                #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "scores.npy").path))
            }
            let arrays = folder.appending(path: "arrays")
            try FileManager.default.createDirectory(at: arrays, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: arrays.appending(path: "scores.npy"), withDestinationURL: victim)
            let run = try await Command.run(
                "run", "small.onnx", "--input", "image=image.npy", "-o", "arrays", "--force", in: folder)
            #expect(run.status == 2 && run.errors.contains("is a link"), "\(run.errors)")
            #expect(try Data(contentsOf: victim) == Data("precious".utf8))
        }
    }

    @Test("A file that is being written is refused by every name that leads to it")
    func locks() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let manager = FileManager.default
            let fifo = folder.appending(path: "slow.png").path
            try #require(mkfifo(fifo, 0o600) == 0)
            let writer = try #require(FileHandle(forUpdatingAtPath: fifo))
            let arguments = ["predict", "small.onnx", "photos", "--quiet", "-o"]
            let first = Command(
                [
                    "predict", "small.onnx", "photos", "slow.png", "--timeout", "600", "--quiet", "--format", "csv",
                    "-o",
                    "rows.csv",
                ], in: folder)
            async let outcome = first.outcome()
            let manifest = folder.appending(path: "rows.csv.run.json").path
            // Beside other tests, a command may begin late.
            for _ in 0..<60_000 where !manager.fileExists(atPath: manifest) {
                try await Task.sleep(for: .milliseconds(5))
            }
            try #require(manager.fileExists(atPath: manifest))
            try manager.createSymbolicLink(
                atPath: folder.appending(path: "link.csv").path, withDestinationPath: "rows.csv")
            try manager.createSymbolicLink(atPath: folder.appending(path: "here").path, withDestinationPath: ".")
            try manager.linkItem(
                atPath: folder.appending(path: "rows.csv").path, toPath: folder.appending(path: "hard.csv").path)
            for name in ["rows.csv", "link.csv", "here/rows.csv", "hard.csv"] {
                let second = try await Command.run(arguments + [name, "--force"], in: folder)
                #expect(second.status == 2)
                #expect(
                    second.errors.contains("is being written by process \(first.process.processIdentifier)"),
                    "\(name): \(second.errors)")
            }
            let export = try await Command.run("export", "small.onnx", "-o", "hard.csv", "--force", in: folder)
            #expect(export.status == 2 && export.errors.contains("is being written"))
            kill(first.process.processIdentifier, SIGKILL)
            #expect(try await outcome.status == -SIGKILL)
            try writer.close()
            #expect(!(try manager.contentsOfDirectory(atPath: folder.path)).contains { $0.hasSuffix(".lock") })
            let twoNames = try await Command.run(arguments + ["rows.csv", "--resume"], in: folder)
            #expect(twoNames.status == 2 && twoNames.errors.contains("hard link"))
        }
    }
}
