import Apus
import Foundation
import TestSupport
import Testing

/// `apus merge`, and the comparison of outputs with their manifests.
@Suite(.timeLimit(.minutes(30))) struct MergeTests {
    private static let shardCount = 3

    /// Predicts every shard; the runs need not be in order.
    private func parts(_ pictures: Pictures, _ format: String, _ options: [String] = []) async throws -> [String] {
        var parts: [String] = []
        for number in 1...Self.shardCount {
            let part = "part\(number).\(format)"
            let outcome = try await Command.run(
                pictures.arguments + ["-o", part, "--shard", "\(number)/\(Self.shardCount)", "--commit-rows", "7"]
                    + options, in: pictures.folder)
            #expect([0, 1, 7].contains(outcome.status), "\(outcome.errors)")
            parts.append(part)
        }
        return parts
    }

    /// The content of an output that is promised to be the same.
    private func content(_ name: String, in folder: URL) throws -> [Data] {
        let file = folder.appendingPathComponent(name)
        switch file.pathExtension {
        case "sqlite":
            let query = """
                SELECT id, name, error_stage, error_code, error_message FROM records ORDER BY id;
                SELECT * FROM predictions ORDER BY record, rank
                """
            return [try SQLiteText.answer(query, file.path)]
        case "npy":
            return [
                try Data(contentsOf: file), try Data(contentsOf: URL(fileURLWithPath: file.path + ".records.jsonl")),
            ]
        default: return [try Data(contentsOf: file)]
        }
    }

    @Test(
        "Merged in the order of the list, shards are the output of one run",
        arguments: ["jsonl", "csv", "txt", "npy", "sqlite"], [[], ["--unordered", "--threads", "3"]])
    func ordered(_ format: String, _ options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 70)
            _ = try await Command.run(pictures.arguments + ["-o", "whole.\(format)"], in: folder)
            let parts = try await parts(pictures, format, options)
            let merged = try await Command.run(["merge"] + parts + ["-o", "all.\(format)", "--ordered"], in: folder)
            #expect(merged.status == 0, "\(merged.errors)")
            #expect(merged.errors.contains("70 rows of 3 shards in all.\(format), 6 of them errors"))
            #expect(try content("all.\(format)", in: folder) == content("whole.\(format)", in: folder))
            let plain = try await Command.run(["merge"] + parts + ["-o", "plain.\(format)"], in: folder)
            #expect(plain.status == 0, "\(plain.errors)")
            let names = ["all.\(format)", "plain.\(format)", "whole.\(format)"]
            let verified = try await Command.run(["merge", "--verify"] + names + parts, in: folder)
            #expect(verified.status == 0, "\(verified.errors)")
            #expect(verified.lines.first == "all.\(format): 70 rows, 6 of them errors, as they were written")
            #expect(verified.lines.count == 6)
        }
    }

    @Test("A scheduler's variables choose the same shards, and the run names them")
    func automaticShards() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 12)
            let schedulers: [(String, [String: String], String)] = [
                ("auto", ["SLURM_PROCID": "1", "SLURM_NTASKS": "3"], "SLURM_PROCID=1, SLURM_NTASKS=3"),
                ("auto/3", ["JOB_COMPLETION_INDEX": "1"], "JOB_COMPLETION_INDEX=1"),
            ]
            _ = try await Command.run(pictures.arguments + ["-o", "given.jsonl", "--shard", "2/3"], in: folder)
            for (shard, environment, variables) in schedulers {
                let arguments =
                    pictures.arguments.filter { $0 != "--quiet" }
                    + ["-o", "\(shard.count).jsonl", "--shard", shard]
                let outcome = try await Command.run(arguments, in: folder, environment: environment)
                #expect(outcome.errorLines.first == "apus: shard 2/3 by \(variables)")
                #expect(try content("\(shard.count).jsonl", in: folder) == content("given.jsonl", in: folder))
                let again = try await Command.run(
                    arguments + ["--force", "--quiet"], in: folder, environment: environment)
                #expect(!again.errors.contains("shard 2/3 by"))
            }
            let none = try await Command.run(pictures.arguments + ["--shard", "auto"], in: folder)
            #expect(none.status == 2)
            #expect(none.errors.hasPrefix("apus: --shard auto: none of SLURM_ARRAY_TASK_ID, SLURM_PROCID, "))
        }
    }

    @Test("Parts of machines with other processors are told apart at their begin, and are one run with --instructions")
    func instructions() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 12)
            let arguments = pictures.arguments.filter { $0 != "--quiet" }
            func part(_ number: Int, _ options: [String]) async throws -> Command.Outcome {
                try await Command.run(
                    arguments + ["-o", "part\(number).jsonl", "--shard", "\(number)/2"] + options, in: folder)
            }
            let first = try await part(1, ["--instructions", "baseline"])
            #expect(
                first.errors.hasPrefix(
                    "apus: shard 1/2 computes with baseline, which all parts must have to be merged (--instructions)\n")
            )
            let sets = try Catalog.instructionSets()
            let unknown = try await part(2, ["--instructions", "mmx"])
            #expect(unknown.status == 4)
            let names = sets.map(\.name).joined(separator: ", ")
            #expect(unknown.errors.contains("--instructions asks for mmx, but this processor and build have \(names)"))
            // An emulator may have no wider set.
            if let wider = sets.last(where: { ["avx512", "avx2", "neon"].contains($0.name) })?.name {
                let other = try await part(2, ["--instructions", wider])
                let difference = "instructions was baseline and is \(wider) (--instructions baseline)"
                #expect(other.errors.contains("part2.jsonl: cannot be merged with part1.jsonl, shard 1/2: "))
                #expect(other.errors.contains(difference))
                let resumed = try await part(2, ["--resume", "--instructions", "baseline"])
                #expect(resumed.status == 2)
                #expect(resumed.errors.contains("instructions was \(wider) and is baseline"))
                let merged = try await Command.run(
                    ["merge", "part1.jsonl", "part2.jsonl", "-o", "all.jsonl"], in: folder)
                #expect(merged.status == 2)
                #expect(merged.errors.contains("instructions was baseline and is \(wider)"))
            }
            let second = try await part(2, ["--force", "--instructions", "baseline"])
            #expect(!second.errors.contains("cannot be merged"))
            let merged = try await Command.run(["merge", "part1.jsonl", "part2.jsonl", "-o", "all.jsonl"], in: folder)
            #expect(merged.status == 0, "\(merged.errors)")
        }
    }

    @Test("A shard that was interrupted and resumed still says where its rows belong")
    func orderedAfterResuming() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 70)
            _ = try await parts(pictures, "csv", ["--max-errors", "0"])
            let index = folder.appendingPathComponent("part2.csv.run.rows")
            let handle = try FileHandle(forWritingTo: index)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("99 9".utf8))
            try handle.close()
            let parts = try await parts(pictures, "csv", ["--resume"])
            _ = try await Command.run(["merge"] + parts + ["-o", "all.csv", "--ordered"], in: folder)
            _ = try await Command.run(pictures.arguments + ["-o", "whole.csv"], in: folder)
            #expect(try content("all.csv", in: folder) == content("whole.csv", in: folder))
        }
    }

    @Test(
        "A merge that is killed at any moment can be begun again, and leaves nothing",
        arguments: ["jsonl", "npy", "sqlite"])
    func killed(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 70)
            let parts = try await parts(pictures, format)
            let merge = ["merge"] + parts + ["-o", "all.\(format)", "--ordered"]
            #expect(
                try await Command.run(["merge"] + parts + ["-o", "whole.\(format)", "--ordered"], in: folder).status
                    == 0)
            for number in 0..<12 {
                let command = Command(merge, in: folder)
                let delay = Double(number) * 0.02
                Thread.detachNewThread {
                    while !command.process.isRunning { Thread.sleep(forTimeInterval: 0.001) }
                    Thread.sleep(forTimeInterval: delay)
                    if command.process.isRunning { kill(command.process.processIdentifier, SIGKILL) }
                }
                _ = try await command.outcome()
                if number % 3 != 0 { continue }
                let again = try await Command.run(merge, in: folder)
                #expect(again.status == 0, "killed after \(delay) s: \(again.errors)")
                let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(!left.contains { $0.contains(".partial") }, "\(left)")
                #expect(try content("all.\(format)", in: folder) == content("whole.\(format)", in: folder))
                for name in left where name.hasPrefix("all.") {
                    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
                }
            }
        }
    }

    @Test("What a killed merge leaves is known as its own")
    func leftovers() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 12)
            let parts = try await parts(pictures, "sqlite")
            let merge = ["merge"] + parts + ["-o", "all.sqlite"]
            #expect(try await Command.run(merge, in: folder).status == 0)
            // The output has its name, and its manifest counts nothing yet.
            let manifest = folder.appendingPathComponent("all.sqlite.run.json")
            var text = try #require(
                try JSONSerialization.jsonObject(with: Data(contentsOf: manifest)) as? [String: Any])
            text["state"] = "running"
            text["rows"] = ["finished": [], "succeeded": 0, "failed": 0]
            text["checkpoint"] = ["byteCounts": [], "state": [:]]
            try JSONSerialization.data(withJSONObject: text).write(to: manifest)
            let partial = "all.sqlite.0123456789abcdef.partial"
            for name in [partial, partial + "-journal", "all.sqlite.fedcba9876543210.partial-wal"] {
                try Data("left".utf8).write(to: folder.appendingPathComponent(name))
            }
            try Data("mine".utf8).write(to: folder.appendingPathComponent("mine.partial-journal"))
            #expect(try await Command.run("merge", "--verify", "all.sqlite", in: folder).status == 1)
            let again = try await Command.run(merge, in: folder)
            #expect(again.status == 0, "\(again.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.filter { $0.contains(".partial") } == ["mine.partial-journal"])
            #expect(try await Command.run("merge", "--verify", "all.sqlite", in: folder).status == 0)
        }
    }

    @Test("Damaged parts are named and nothing is written", arguments: ["jsonl", "csv", "txt", "npy", "sqlite"])
    func damagedParts(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 60)
            let parts = try await parts(pictures, format)
            let file = folder.appendingPathComponent(parts[1])
            let good = try Data(contentsOf: file)
            var edited = good
            // In a database, changes a letter of an id.
            let place = format == "sqlite" ? try #require(good.range(of: Data("pictures/000".utf8))?.lowerBound) : 200
            edited[place] ^= 1
            for (damage, data) in [
                ("cut", good.prefix(good.count / 2)), ("edited", edited), ("longer", good + good.suffix(90)),
            ] where !(format == "sqlite" && damage == "longer") {
                try data.write(to: file)
                for arguments in [["merge"] + parts + ["-o", "all.\(format)"], ["merge", "--verify"] + parts] {
                    let outcome = try await Command.run(arguments, in: folder)
                    #expect(outcome.status == 5, "\(damage)")
                    #expect(outcome.errorLines.count == 1)
                    #expect(outcome.errors.hasPrefix("apus: \(parts[1]): "), "\(outcome.errors)")
                }
                #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("all.\(format)").path))
            }
        }
    }

    @Test("Rows of parts that have no checksums are counted", arguments: ["jsonl", "csv", "npy", "sqlite"])
    func earlierVersions(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 60)
            let parts = try await parts(pictures, format)
            for part in parts {
                try Manifest.edit(folder.appendingPathComponent(part)) { manifest in
                    for path in ["index", "rows/ids", "checkpoint/checksums"] {
                        try Manifest.set(&manifest, path, to: nil)
                    }
                }
            }
            let merged = try await Command.run(["merge"] + parts + ["-o", "all.\(format)"], in: folder)
            #expect(merged.status == 0, "\(merged.errors)")
            let verified = try await Command.run(["merge", "--verify"] + parts, in: folder)
            #expect(verified.status == 0)
            #expect(verified.lines.allSatisfy { $0.contains(", compared without checksums, ") })
            let ordered = try await Command.run(["merge"] + parts + ["-o", "b.\(format)", "--ordered"], in: folder)
            #expect(ordered.status == (format == "sqlite" ? 0 : 2))
            #expect(format == "sqlite" || ordered.errors.contains("an earlier version of Apus began it"))
            guard format != "sqlite" else { return }

            // The last row is missing, and the manifest's lengths are those of the remaining rows.
            let suffix = format == "npy" ? ".records.jsonl" : ""
            let file = folder.appendingPathComponent(parts[0] + suffix)
            var data = try Data(contentsOf: file)
            data = data.prefix(through: try #require(data.dropLast().lastIndex(of: UInt8(ascii: "\n"))))
            try data.write(to: file)
            try Manifest.edit(folder.appendingPathComponent(parts[0])) { manifest in
                let checkpoint = manifest["checkpoint"] as? [String: Any]
                let counts = (checkpoint?["byteCounts"] as? [Int] ?? []).dropLast() + [data.count]
                try Manifest.set(&manifest, "checkpoint/byteCounts", to: "\(Array(counts))")
            }
            let cut = try await Command.run(["merge"] + parts + ["-o", "all.\(format)"], in: folder)
            #expect(cut.status == 5)
            #expect(cut.errors.contains("\(parts[0])\(suffix): holds "), "\(cut.errors)")
            #expect(cut.errors.contains(" rows, but its run wrote "))
        }
    }

    @Test(
        "Objects in COCO's form and Label Studio's are one list again", arguments: [false, true],
        ["coco", "label-studio"])
    func coco(isOrdered: Bool, format: String) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 40)
            let graph = try Graph.build("boxes") { net in
                let image = net.input("image", .float32, [.batch, 3, 32, 32])
                var rows = [Float](repeating: 0, count: 63 * 7)
                rows.replaceSubrange(0..<7, with: [16, 16, 8, 8, 1, 0.75, 0])
                guard let zero = try? Tensor([0] as [Float], shape: [1, 1, 1]),
                    let boxes = try? Tensor(rows, shape: [1, 63, 7])
                else { return }
                let nothing = image.convolution(1, kernel: 1).globalAveragePool().reshape([0, 1, 1])
                    .multiplied(by: net.constant("zero", zero))
                net.output("boxes", nothing.added(to: net.constant("rows", boxes)))
            }
            try Model(graph.seeded(7)).export(to: folder.appendingPathComponent("small.onnx").path)
            let options = ["--task", "detect", "--format", format]
            var arguments = pictures.arguments
            arguments.removeSubrange(try #require(arguments.firstIndex(of: "--top"))...)
            arguments += ["--quiet"] + options
            _ = try await Command.run(arguments + ["-o", "whole.json"], in: folder)
            for number in 1...2 {
                _ = try await Command.run(
                    arguments + ["-o", "part\(number).json", "--shard", "\(number)/2"], in: folder)
            }
            let outcome = try await Command.run(
                ["merge", "part1.json", "part2.json", "-o", "all.json"] + (isOrdered ? ["--ordered"] : []), in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let (all, whole) = (try content("all.json", in: folder)[0], try content("whole.json", in: folder)[0])
            let objects = try #require(try JSONSerialization.jsonObject(with: all) as? [[String: Any]])
            #expect(objects.count == (0..<40).count { !Pictures.isBad($0) })
            #expect(all.count == whole.count)
            #expect(!isOrdered || all == whole)
            #expect(try await Command.run("merge", "--verify", "all.json", "whole.json", in: folder).status == 0)
            // A finished run also writes the end after the last object.
            try whole.dropLast(3).write(to: folder.appendingPathComponent("whole.json"))
            let cut = try await Command.run(arguments + ["-o", "whole.json", "--resume"], in: folder)
            #expect(cut.status == 5)
            #expect(cut.errors.contains("holds \(whole.count - 3) of the \(whole.count) bytes"), "\(cut.errors)")
        }
    }

    @Test("A name that promises another form is refused, and so is a part's own name")
    func names() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 20)
            let parts = try await parts(pictures, "jsonl")
            let other = try await Command.run(["merge"] + parts + ["-o", "all.csv"], in: folder)
            #expect(other.status == 2)
            #expect(other.errors.contains("all.csv: the outputs to merge are jsonl"))
            let wrong = try await Command.run(
                ["merge"] + parts + ["-o", "all.jsonl", "--format", "csv"], in: folder)
            #expect(wrong.status == 2)
            #expect(
                try await Command.run(["merge"] + parts + ["-o", "all.csv", "--format", "jsonl"], in: folder).status
                    == 0)
            let own = try await Command.run(["merge"] + parts + ["-o", "./part2.jsonl"], in: folder)
            #expect(own.status == 2)
            #expect(own.errors.contains("./part2.jsonl is one of the inputs"))
            #expect(try await Command.run(["merge"] + parts, in: folder).status == 2)
        }
    }

    @Test("Verifying says what is not finished, and what is damaged")
    func verify() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 30)
            for name in ["a.jsonl", "b.jsonl"] {
                _ = try await Command.run(pictures.arguments + ["-o", name, "--max-errors", "1"], in: folder)
            }
            let unfinished = try await Command.run("merge", "--verify", "a.jsonl", in: folder)
            #expect(unfinished.status == 1)
            #expect(
                unfinished.lines == ["a.jsonl: 17 of 30 rows, 2 of them errors, as they were written; not finished"])
            // Bytes after the committed rows do not belong to them.
            let file = folder.appendingPathComponent("a.jsonl")
            try (try Data(contentsOf: file) + Data("{\"id".utf8)).write(to: file)
            #expect(try await Command.run("merge", "--verify", "a.jsonl", in: folder).status == 1)
            try Data(try Data(contentsOf: file).dropFirst(9)).write(to: file)
            let damaged = try await Command.run("merge", "--verify", "b.jsonl", "a.jsonl", "--json", in: folder)
            #expect(damaged.status == 5)
            #expect(damaged.errors.hasPrefix("apus: a.jsonl: "))
            let results = try #require(
                try JSONSerialization.jsonObject(with: Data(damaged.output.utf8)) as? [[String: Any]])
            #expect(results.map { $0["error"] == nil } == [true, false])
            #expect(results[0]["succeeded"] as? Int == 15)
        }
    }
}
