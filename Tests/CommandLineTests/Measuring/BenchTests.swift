import Foundation
import TestSupport
import Testing

@Suite struct BenchTests {
    private static let quick = ["--time", "0.05", "--warm-up", "0.2"]

    private static func results(_ output: String) throws -> [[String: Any]] {
        let document = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        return try #require(document?["results"] as? [[String: Any]])
    }

    @Test func aSweepMeasuresEveryCombination() async throws {
        let outcome = try await Command.run(
            ["bench", Fixtures.model, "--batch", "1,2", "--threads", "2,1", "--backend", "cpu", "--json"] + Self.quick)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        let results = try Self.results(outcome.output)
        let combinations = results.map { result in
            let configuration = result["configuration"] as? [String: Any]
            return ["threads", "batch", "streams"].map { configuration?[$0] as? Int ?? 0 }
        }
        #expect(combinations == [[2, 1, 1], [2, 2, 1], [1, 1, 1], [1, 2, 1]])
    }

    @Test func theAnswerAsJSONHasItsKeys() async throws {
        let outcome = try await Command.run(["bench", Fixtures.model, "--json", "--profile"] + Self.quick)
        #expect(outcome.status == 0)
        let result = try #require(try Self.results(outcome.output).first)
        let keys = [
            "model", "version", "configuration", "loadSeconds", "planSeconds", "firstRunSeconds", "warmUp", "latency",
            "imagesPerSecond", "roundMedians", "memory", "limits", "profile",
        ]
        #expect(Set(result.keys).subtracting(["noise", "deviceLimits"]) == Set(keys))
        let latency = try #require(result["latency"] as? [String: Any])
        #expect(
            Set(latency.keys) == [
                "count", "minimum", "maximum", "mean", "p50", "p90", "p99", "standardDeviation",
            ])
        let profile = try #require(result["profile"] as? [String: Any])
        #expect(Set(profile.keys).isSuperset(of: ["model", "runs", "images", "seconds", "layers", "rest", "limits"]))
        let layers = try #require(profile["layers"] as? [[String: Any]])
        let rest = try #require(profile["rest"] as? [String: Double])
        #expect(Set(rest.keys) == ["copies", "waiting", "queueing", "scheduling", "overlap"])
        let sum = layers.reduce(0) { $0 + ($1["seconds"] as? Double ?? .nan) } + rest.values.reduce(0, +)
        #expect(abs(sum - (profile["seconds"] as? Double ?? 0)) < 1e-8)
    }

    @Test func whatWasMeasuredIsPrintedWhateverEndsTheCommand() async throws {
        // The limits of the machine are measured in the memory that there is, however large its caches are.
        let arguments =
            ["bench", Fixtures.model, "--batch", "1,65536", "--memory-limit", "200M", "--backend", "cpu"] + Self.quick
        let outcome = try await Command.run(arguments + ["--json"])
        #expect(outcome.status == 5)
        #expect(outcome.errorLines.count == 1)
        let batches = try Self.results(outcome.output).map { result in
            (result["configuration"] as? [String: Any])?["batch"] as? Int
        }
        #expect(batches == [1])
        let table = try await Command.run(arguments)
        #expect(table.status == 5)
        #expect(table.lines.contains { $0.hasPrefix("batch  threads  streams ") })
    }

    @Test func onATerminalItSaysWhatItDoes() async throws {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (number, isLocked) = (Int32(0), Int32(0))
        // TIOCSPTLCK and TIOCGPTN
        try #require(main >= 0 && ioctl(main, 0x4004_5431, &isLocked) == 0 && ioctl(main, 0x8004_5430, &number) == 0)
        let terminal = FileHandle(fileDescriptor: main, closeOnDealloc: true)
        // The other end stays open until everything is read.
        let other = try #require(FileHandle(forUpdatingAtPath: "/dev/pts/\(number)"))
        let command = Command(["bench", Fixtures.model, "--json"] + Self.quick)
        let outcome = try await command.outcome(errors: other)
        #expect(outcome.status == 0)
        // The output is less than a terminal's buffer.
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(terminal.fileDescriptor, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        let steps = ["reading ", "measuring the machine", "planning", "warming up", "round 1 of 5", "round 5 of 5"]
        for step in steps { #expect(text.contains("\r\u{1B}[K") && text.contains(step), "\(step)") }
        try other.close()
    }

    @Test func theAnswerForPeopleHasATableAndProfiles() async throws {
        let outcome = try await Command.run(
            ["bench", Fixtures.model, "--streams", "1,2", "--threads", "2", "--profile"] + Self.quick)
        #expect(outcome.status == 0)
        #expect(outcome.lines.first?.hasPrefix("\(Fixtures.model): apus ") == true)
        #expect(outcome.lines.contains { $0.hasPrefix("  limits") && $0.contains(" GFLOP/s, ") })
        let heading = try #require(outcome.lines.firstIndex { $0.hasPrefix("batch  threads  streams ") })
        #expect(outcome.lines[heading + 1].split(separator: " ").prefix(3) == ["1", "2", "1"])
        #expect(outcome.lines[heading + 2].split(separator: " ").prefix(3) == ["1", "2", "2"])
        #expect(outcome.lines.filter { $0.hasPrefix("  scheduling") }.count == 2)
        #expect(outcome.output.contains("fire9/expand3x3"))
    }

    @Test func aTraceOfABenchmarkIsWholeJSON() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("trace.json")
            let outcome = try await Command.run(["bench", Fixtures.model, "--trace", file.path] + Self.quick)
            #expect(outcome.status == 0)
            let trace = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            let events = try #require(trace?["traceEvents"] as? [[String: Any]])
            #expect(events.contains { $0["name"] as? String == "conv1" || $0["cat"] as? String == "layer" })
        }
    }

    @Test func predictSaysWhereTheTimeWent() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("trace.json")
            let outcome = try await Command.run(
                "predict", Fixtures.model, "photos", "images/bad/zeros.png", "--profile", "--trace", file.path,
                "--quiet")
            #expect(outcome.status == 1)
            #expect(outcome.lines.count == 5)
            #expect(outcome.errors.contains("scheduling"))
            let trace = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            let names = (trace?["traceEvents"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            for name in ["decode", "run", "pictures", "memory"] { #expect(names.contains(name)) }
        }
    }

    @Test func aTraceThatCannotBeWrittenEndsTheCommandFirst() async throws {
        for arguments in [["bench", Fixtures.model], ["predict", Fixtures.model, "photos"]] {
            let outcome = try await Command.run(arguments + ["--trace", "missing/trace.json"])
            #expect(outcome.status == 5)
            #expect(outcome.errors == "apus: missing/trace.json: No such file or directory\n")
            #expect(outcome.output.isEmpty)
            let full = try await Command.run(arguments + ["--trace", "/dev/full"])
            #expect(full.status == 5)
            #expect(full.errors == "apus: /dev/full: No space left on device\n")
        }
    }

    @Test func anInterruptedRunLeavesAWholeTrace() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("trace.json")
            let command = Command(["bench", Fixtures.model, "--time", "600", "--trace", file.path])
            command.send(SIGINT, onceWritten: file)
            let outcome = try await command.outcome()
            #expect(outcome.status == 6)
            #expect(outcome.errors == "apus: interrupted\n")
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(contentsOf: file)) }
        }
    }
}
