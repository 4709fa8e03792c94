import Foundation
import TestSupport
import Testing

/// Inputs that change, are missing, or have content that is not accepted.
@Suite(.timeLimit(.minutes(30))) struct ChangingInputTests {
    private func pictures(_ folder: URL, _ names: [String]) throws {
        for name in names {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Fixtures.data("images/grey-16.png").write(to: file)
        }
    }

    private func ids(_ output: URL) throws -> [String] {
        try Row.all(String(contentsOf: output, encoding: .utf8).split(separator: "\n")).map(\.id)
    }

    @Test func whatWasListedFirstIsTheRunAlsoWhenItIsResumed() async throws {
        try await withTemporaryFolder { folder in
            _ = try Pictures(in: folder, count: 0)
            let first = ["pictures/a.png", "pictures/b/1.png", "pictures/b/2.png", "pictures/c.png"]
            // The first is not a picture, so that the run stops after it.
            try pictures(folder, first)
            try Data("no picture".utf8).write(to: folder.appendingPathComponent(first[0]))
            let arguments = [
                "predict", "small.onnx", "pictures", "--scale", "1/255", "--batch", "1", "-o", "rows.jsonl",
            ]
            let stopped = try await Command.run(arguments + ["--on-error", "stop"], in: folder)
            #expect(stopped.status == 7, "\(stopped.errors)")
            try FileManager.default.removeItem(at: folder.appendingPathComponent("pictures/b"))
            try pictures(folder, ["pictures/0.png", "pictures/d.png"])
            let slashed = arguments.map { $0 == "pictures" ? "pictures/" : $0 }
            let resumed = try await Command.run(slashed + ["--resume"], in: folder)
            #expect(resumed.status == 1)
            #expect(!resumed.errors.contains("interrupted"))
            let output = folder.appendingPathComponent("rows.jsonl")
            #expect(try ids(output) == first)
            let rows = try Row.all(String(contentsOf: output, encoding: .utf8).split(separator: "\n"))
            #expect(rows.map { $0.error?.code } == ["unrecognized", "unreadable", "unreadable", nil])
            // Different inputs still make a different run.
            let other = try await Command.run(arguments + ["--resume", "--exclude", "c.png"], in: folder)
            #expect(other.status == 2)
            #expect(other.errors.contains("the list of inputs had 4 records"))
            #expect(try await Command.run(arguments + ["--resume"], in: folder).status == 1)
            #expect(try ids(output) == first)
        }
    }

    @Test func pagesOfAFileThatIsGoneAreErrors() async throws {
        try await withTemporaryFolder { folder in
            _ = try Pictures(in: folder, count: 0)
            let names = ["pictures/b.tif", "pictures/c.gif", "pictures/d.png"]
            try pictures(folder, ["pictures/a.png", "pictures/d.png"])
            // The first is not a picture, so that the run stops after it.
            try Data("no picture".utf8).write(to: folder.appendingPathComponent("pictures/a.png"))
            try Fixtures.data("pictures/pages.tif").write(to: folder.appendingPathComponent(names[0]))
            try Fixtures.data("pictures/animated-0.gif").write(to: folder.appendingPathComponent(names[1]))
            for (name, inputs) in [("folder", ["pictures"]), ("files", ["pictures/a.png"] + names)] {
                let arguments =
                    ["predict", "small.onnx"] + inputs
                    + ["--scale", "1/255", "--batch", "1", "--every-frame", "-o"]
                let whole = try await Command.run(arguments + ["\(name).jsonl"], in: folder)
                #expect(whole.status == 1)
                let expected = try ids(folder.appendingPathComponent("\(name).jsonl"))
                #expect(expected.contains("pictures/b.tif#2") && expected.contains("pictures/c.gif#2"))
                let part = arguments + ["\(name)-part.jsonl"]
                #expect(try await Command.run(part + ["--on-error", "stop"], in: folder).status == 7)
                let gone = names.dropLast().map { folder.appendingPathComponent($0) }
                for file in gone { try FileManager.default.moveItem(atPath: file.path, toPath: file.path + ".gone") }
                let resumed = try await Command.run(part + ["--resume"], in: folder)
                #expect(resumed.status == 1, "\(resumed.errors)")
                for file in gone { try FileManager.default.moveItem(atPath: file.path + ".gone", toPath: file.path) }
                let output = folder.appendingPathComponent("\(name)-part.jsonl")
                #expect(try ids(output) == expected)
                let rows = try Row.all(String(contentsOf: output, encoding: .utf8).split(separator: "\n"))
                #expect(rows.dropFirst().dropLast().allSatisfy { $0.error?.code == "unreadable" })
                #expect(rows.last?.error == nil)
            }
        }
    }

    @Test func aListThatIsWrittenAnewDuringTheRunIsAnErrorAndIdsStayUnique() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 0)
            try self.pictures(folder, ["a.png"])
            let list = folder.appendingPathComponent("list.csv")
            // A picture that is a pipe holds the run until the list has been rewritten.
            let pipe = folder.appendingPathComponent("late.png").path
            try #require(mkfifo(pipe, 0o600) == 0)
            let writer = try #require(FileHandle(forUpdatingAtPath: pipe))
            let lines = (0..<30_000).map { "\(100_000 + $0),\($0 == 20_000 ? "late" : "a").png\n" }
            func write(_ lines: [String]) throws {
                let handle = try FileHandle(forUpdating: list)
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: Data(("id,path\n" + lines.joined()).utf8))
                try handle.close()
            }
            try Data().write(to: list)
            try write(lines)
            var arguments = pictures.arguments + ["-o", "rows.jsonl", "--commit-rows", "100"]
            arguments[2] = "list.csv"
            let command = Command(arguments, in: folder)
            let output = folder.appendingPathComponent("rows.jsonl")
            async let outcome = command.outcome()
            while ((try? Data(contentsOf: output).count) ?? 0) < 2000 { try await Task.sleep(for: .milliseconds(5)) }
            try write(lines.reversed())
            try writer.write(contentsOf: Data(contentsOf: folder.appendingPathComponent("a.png")))
            try writer.close()
            let ended = try await outcome
            #expect(ended.status == 5, "\(ended.errors)")
            // A run that reads on while the list is half written meets half a line.
            let isHalf = ended.errors.hasPrefix("apus: list.csv: line ") && ended.errors.contains(" cell, not 2")
            #expect(isHalf || ended.errors.hasPrefix("apus: list.csv: changed during the run: "), "\(ended.errors)")
            let ids = try ids(output)
            #expect(Set(ids).count == ids.count && ids.count <= lines.count)
            #expect(try await Command.run("merge", "--verify", "rows.jsonl", in: folder).status == 1)
            #expect(try await Command.run(arguments + ["--resume"], in: folder).status == 2)
        }
    }

    @Test func foldersThatCannotBeListedArePassedOverAndNamedOnce() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 3)
            let name = folder.path.utf8CString.dropLast() + "/pictures/b\u{1}".utf8CString
            let bytes = name.map { $0 == 1 ? CChar(bitPattern: 0xFF) : $0 }
            try #require(mkdir(bytes, 0o700) == 0)
            defer { rmdir(bytes) }
            let arguments = pictures.arguments.filter { $0 != "--quiet" } + ["-o", "rows.jsonl"]
            let reason = "its name is not UTF-8 text"
            let warning =
                "apus: warning: passed over in folders: folder that cannot be listed 1; pictures/b\\xFF: \(reason)"
            let refusal = "apus: pictures/b\\xFF: the folder cannot be listed: \(reason)\n"
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errorLines.first.map(String.init) == warning)
            #expect(outcome.errorLines.count == 2)
            let again = try await Command.run(arguments + ["--resume"], in: folder)
            #expect(again.status == 0)
            #expect(again.errorLines.first.map(String.init) == warning)
            let strict = try await Command.run(arguments + ["--strict"], in: folder)
            #expect(strict.status == 5)
            #expect(strict.errors == refusal)
        }
    }

    @Test func aDamagedListIsRefusedByName() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 12)
            let arguments = pictures.arguments + ["-o", "rows.jsonl", "--resume"]
            #expect(try await Command.run(arguments + ["--on-error", "stop"], in: folder).status == 7)
            let list = folder.appendingPathComponent("rows.jsonl.run.list")
            let whole = try Data(contentsOf: list)
            for bytes in [Data(), Data("hello".utf8), whole.dropLast(3), Data("apus list 1\np99 x\0".utf8)] {
                try bytes.write(to: list)
                let outcome = try await Command.run(arguments, in: folder)
                #expect(outcome.status == 5 || outcome.status == 2 || bytes.starts(with: Data("apus list 1\np".utf8)))
                #expect(outcome.errorLines.count == 1 || outcome.status == 1, "\(outcome.errors)")
                if bytes.count == 5 { #expect(outcome.errors.contains("rows.jsonl.run.list: is not a list")) }
            }
            try FileManager.default.removeItem(at: list)
            #expect(try await Command.run(arguments, in: folder).status == 1)
        }
    }

    @Test(arguments: [
        ["predict", "MODEL", "photoz"], ["predict", "MODEL", "photoz/", "--shard", "1/2", "-o", "rows.jsonl"],
        ["predict", "MODEL", "photoz.tar.gz", "-o", "rows.jsonl"], ["evaluate", "MODEL", "photoz"],
        ["compare", "MODEL", "photoz"], ["quantize", "MODEL", "--calibrate", "photoz", "-o", "q.onnx"],
        ["predict", "MODEL", "raw", "--frames", "8x8xgray", "-o", "rows.jsonl"],
    ])
    func anInputThatIsNotThereEndsTheCommandBeforeAnythingIsWritten(_ arguments: [String]) async throws {
        try await withTemporaryFolder { folder in
            let model = Fixtures.path(Fixtures.model)
            let outcome = try await Command.run(arguments.map { $0 == "MODEL" ? model : $0 }, in: folder)
            #expect(outcome.status == 5, "\(outcome.errors)")
            #expect(outcome.errors.contains(": no such file or folder"), "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func whatIsPassedOverIsCountedByTheReason() async throws {
        struct Summary: Decodable {
            let passedOver: [String: Int]
        }
        try await withTemporaryFolder { folder in
            _ = try Pictures(in: folder, count: 0)
            try pictures(
                folder,
                [
                    "pictures/a.png", "pictures/b.psd", "pictures/c.PSD", "pictures/d.ico", "pictures/plain",
                    "pictures/.hidden.png", "pictures/skip/e.psd",
                ])
            let place = folder.appendingPathComponent("pictures")
            #expect(mkfifo(place.appendingPathComponent("pipe.png").path, 0o600) == 0)
            #expect(symlink("..", place.appendingPathComponent("up").path) == 0)
            #expect(symlink("/dev/zero", place.appendingPathComponent("zero.png").path) == 0)
            let arguments = [
                "predict", "small.onnx", "pictures", "--scale", "1/255", "--exclude", "skip", "-o", "r.csv",
            ]
            let outcome = try await Command.run(arguments + ["--json"], in: folder)
            #expect(outcome.status == 0)
            let expected = [
                ".psd": 2, ".ico": 1, "no extension": 1, "hidden": 1, "named pipe": 1, "link to a folder": 1,
                "device": 1,
            ]
            #expect(try JSONDecoder().decode(Summary.self, from: Data(outcome.output.utf8)).passedOver == expected)
            let line =
                "apus: warning: passed over in folders: .psd 2, .ico 1, device 1, hidden 1, link to a folder 1, "
                + "named pipe 1, no extension 1\n"
            #expect(outcome.errors == line)
            // The inputs are those of the first listing.
            try FileManager.default.removeItem(at: place.appendingPathComponent("b.psd"))
            let again = try await Command.run(arguments + ["--json", "--resume"], in: folder)
            #expect(try JSONDecoder().decode(Summary.self, from: Data(again.output.utf8)).passedOver == expected)
            #expect(try await Command.run(arguments + ["--quiet"], in: folder).errors.isEmpty)
        }
    }
}
