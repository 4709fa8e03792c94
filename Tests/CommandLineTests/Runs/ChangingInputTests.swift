import Foundation
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
            #expect(stopped.status == 1, "\(stopped.errors)")
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

    @Test func aDamagedListIsRefusedByName() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 12)
            let arguments = pictures.arguments + ["-o", "rows.jsonl", "--resume"]
            #expect(try await Command.run(arguments + ["--on-error", "stop"], in: folder).status == 1)
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
