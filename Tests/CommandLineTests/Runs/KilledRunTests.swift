import Foundation
import TestSupport
import Testing

/// Runs that are killed at random moments and resumed. `APUS_KILL_POINTS` is the number of moments for each format.
@Suite(.timeLimit(.minutes(30))) struct KilledRunTests {
    private static let pointCount = ProcessInfo.processInfo.environment["APUS_KILL_POINTS"].flatMap { Int($0) } ?? 6
    private static let seed: UInt64 = 5

    /// Numbers from 0 to 1 that a seed determines: xorshift64*.
    private struct Numbers {
        var state: UInt64

        mutating func next() -> Double {
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return Double((state &* 2_685_821_657_736_338_717) >> 11) * 0x1p-53
        }
    }

    /// The content of an output that is promised to be the same.
    ///
    /// - Parameter table: The table of a database that has the answers.
    private func content(_ name: String, in folder: URL, table: String = "predictions") async throws -> [Data] {
        let file = folder.appendingPathComponent(name)
        switch file.pathExtension {
        case "sqlite":
            let query = "SELECT * FROM records ORDER BY id; SELECT * FROM \(table) ORDER BY 1, 2"
            return [try SQLiteText.answer(query, file.path)]
        case "npy":
            return [
                try Data(contentsOf: file), try Data(contentsOf: URL(fileURLWithPath: file.path + ".records.jsonl")),
            ]
        default: return [try Data(contentsOf: file)]
        }
    }

    /// Runs a command, and kills it a moment after a number of rows are on the disk.
    private func runAndKill(
        _ arguments: [String], in folder: URL, manifest: URL, behind rowCount: Int, delay seconds: Double
    ) async throws -> Int32 {
        let command = Command(arguments, in: folder)
        Thread.detachNewThread {
            while !command.process.isRunning { Thread.sleep(forTimeInterval: 0.0005) }
            while command.process.isRunning, Self.rowCount(manifest) < rowCount {
                Thread.sleep(forTimeInterval: 0.0005)
            }
            Thread.sleep(forTimeInterval: seconds)
            if command.process.isRunning { kill(command.process.processIdentifier, SIGKILL) }
        }
        return try await command.outcome().status
    }

    /// The rows that a run's manifest counts; 0 before there is one.
    private static func rowCount(_ manifest: URL) -> Int {
        guard let data = try? Data(contentsOf: manifest),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let rows = object["rows"] as? [String: Any], let finished = rows["finished"] as? [[Int]]
        else { return 0 }
        return finished.compactMap(\.last).max() ?? 0
    }

    /// A run that writes a file for each record.
    struct FileRun: Sendable, CustomTestStringConvertible {
        let model: String
        let options: [String]
        /// The option that takes the folder.
        let folder: String

        var testDescription: String { folder }

        static let all = [
            FileRun(model: "tasks/depth.onnx", options: ["--scale", "1/255"], folder: "--depth"),
            FileRun(model: "tasks/super_fixed.onnx", options: ["--scale", "1/255"], folder: "--images"),
            FileRun(model: "tasks/depth.onnx", options: ["--scale", "1/255"], folder: "--draw"),
            FileRun(model: Fixtures.model, options: masks, folder: "--masks"),
            FileRun(model: Fixtures.model, options: masks, folder: "--cutouts"),
            FileRun(model: "parts/things.onnx", options: objects, folder: "--yolo"),
            FileRun(model: "parts/things.onnx", options: objects, folder: "--voc"),
            FileRun(model: Fixtures.model, options: ["--task", "raw"], folder: "--arrays"),
        ]
        private static let masks = [
            "--task", "segment", "--output-name", "fire9/squeeze1x1", "--labels",
            Fixtures.path("segmentation/channels.txt"),
            "--resize", "fill",
        ]
        private static let objects = ["--task", "detect", "--resize", "fill", "--scale", "1/255"]
    }

    @Test("Files of records", arguments: FileRun.all)
    func resumingGivesTheSameFiles(_ run: FileRun) async throws {
        try await withTemporaryFolder { folder in
            let imageCount = 90
            _ = try Pictures(in: folder, count: imageCount)
            let options =
                [
                    "predict", Fixtures.path(run.model), "pictures", "--quiet", "--batch", "4", "--commit-rows", "5",
                ] + run.options
            #expect(
                try await Command.run(options + [run.folder, "whole", "-o", "whole.jsonl"], in: folder).status == 1)
            let expected = try await content("whole.jsonl", in: folder)
            let files = try FolderContent(folder.appendingPathComponent("whole").path)
            #expect(files.files.count > 80)
            var numbers = Numbers(state: Self.seed)
            var killedCount = 0
            for point in 0..<Self.pointCount {
                let arguments = options + [run.folder, "files\(point)", "-o", "\(point).jsonl", "--resume"]
                let manifest = folder.appendingPathComponent("\(point).jsonl.run.json")
                for part in [0.4, 0.8] {
                    let status = try await runAndKill(
                        arguments, in: folder, manifest: manifest,
                        behind: Int(numbers.next() * part * Double(imageCount)), delay: 0.003 * numbers.next())
                    if status == -SIGKILL { killedCount += 1 }
                }
                let outcome = try await Command.run(arguments, in: folder)
                #expect(outcome.status == 1, "seed \(Self.seed), point \(point): \(outcome.errors)")
                #expect(try await content("\(point).jsonl", in: folder) == expected, "point \(point)")
                #expect(
                    try FolderContent(folder.appendingPathComponent("files\(point)").path) == files, "point \(point)")
            }
            #expect(killedCount > 0)
        }
    }

    @Test(arguments: ["jsonl", "csv", "txt", "npy", "sqlite"])
    func resumingGivesTheSameOutput(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 240)
            try await check(pictures.arguments, format, count: 240, in: folder)
        }
    }

    @Test("Recipes, whose stages run in batches of their own", arguments: ["jsonl", "csv", "sqlite", "hocr", "plain"])
    func recipes(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            let pages = folder.appendingPathComponent("pages")
            try files.createDirectory(at: pages, withIntermediateDirectories: true)
            let sources = ["text/two.png", "text/upside_down.png", "images/bad/zeros.png", "text/columns.png"]
            for index in 0..<120 {
                let name = String(repeating: "0", count: 3 - "\(index)".count) + "\(index).png"
                try files.createSymbolicLink(
                    atPath: pages.appendingPathComponent(name).path,
                    withDestinationPath: Fixtures.path(sources[index % 4]))
            }
            let recipe = Fixtures.path("text/text.recipe.json")
            let options = ["predict", recipe, "pages", "--batch", "4", "--quiet", "--format", format]
            try await check(options, format, count: 120, in: folder, table: "lines")
        }
    }

    /// Compares outputs of runs that are killed and resumed with that of a whole run.
    private func check(
        _ run: [String], _ format: String, count: Int, in folder: URL, table: String = "predictions"
    ) async throws {
        let options = run + ["--commit-rows", "7"]
        #expect(try await Command.run(options + ["-o", "whole.\(format)"], in: folder).status == 1)
        let expected = try await content("whole.\(format)", in: folder, table: table)
        var numbers = Numbers(state: Self.seed)
        var killedCount = 0
        for point in 0..<Self.pointCount {
            let name = "\(point).\(format)"
            let arguments = options + ["-o", name, "--resume"]
            let manifest = folder.appendingPathComponent(name + ".run.json")
            var moments: [Int] = []
            for part in [0.4, 0.8] {
                moments.append(Int(numbers.next() * part * Double(count)))
                let status = try await runAndKill(
                    arguments, in: folder, manifest: manifest, behind: moments[moments.count - 1],
                    delay: 0.003 * numbers.next())
                if status == -SIGKILL { killedCount += 1 }
            }
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 1, "seed \(Self.seed), point \(point): \(outcome.errors)")
            #expect(
                try await content(name, in: folder, table: table) == expected,
                "seed \(Self.seed), point \(point), \(moments)")
        }
        #expect(killedCount > 0)
    }
}
