import Foundation
import TestSupport
import Testing

/// Manifests from an untrusted source.
@Suite(.timeLimit(.minutes(30))) struct RunManifestTests {
    private static let extremes = [Int.max, -Int.max, 1_000_000_000_000]

    /// Changes that no run writes: JSON values by the paths of their keys.
    private static let changes: [[String: String]] =
        extremes.flatMap { number in
            [
                ["rows/succeeded": "\(number)"], ["rows/failed": "\(number)"], ["total": "\(number)"],
                ["identity/listCount": "\(number)"], ["rows/finished": "[[0, \(number)]]"],
                [
                    "total": "\(number)", "identity/listCount": "\(number)", "rows/finished": "[[0, \(number)]]",
                    "rows/succeeded": "\(number)", "rows/failed": "0", "checkpoint/state": "{\"rows\": \(number)}",
                ],
                ["checkpoint/byteCounts": "[\(number)]"], ["checkpoint/byteCounts": "[\(number), \(number)]"],
            ]
        } + [
            ["checkpoint/byteCounts": "[]"], ["checkpoint/byteCounts": "[-5]"], ["checkpoint/byteCounts": "[-5, -5]"],
            ["seconds": "1e308"], ["seconds": "-1"], ["stageSeconds": "{\"read\": 1e308}"],
            ["identity/shard": "\"1/9223372036854775807\""], ["identity/shard": "\"1/100000000\""],
            ["identity/shard": "\"0/0\""],
        ]

    @Test("Every change is refused with one line", arguments: ["jsonl", "npy"])
    func changes(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 20)
            let (first, second, stopped) = ("part1.\(format)", "part2.\(format)", "stopped.\(format)")
            let outputs = [
                first: ["--shard", "1/2"], second: ["--shard", "2/2"],
                stopped: ["--shard", "1/2", "--max-errors", "0"],
            ]
            var manifests: [URL: Data] = [:]
            for (name, options) in outputs {
                _ = try await Command.run(pictures.arguments + ["-o", name] + options, in: folder)
                let output = folder.appendingPathComponent(name)
                manifests[output] = try Data(contentsOf: Manifest.file(of: output))
            }
            let rows = Self.extremes.map { ["checkpoint/state": "{\"rows\": \($0)}"] }
            for change in Self.changes + (format == "npy" ? rows : []) {
                for (output, manifest) in manifests {
                    try manifest.write(to: Manifest.file(of: output))
                    try Manifest.edit(output) { manifest in
                        for (path, json) in change { try Manifest.set(&manifest, path, to: json) }
                    }
                }
                for arguments in [
                    pictures.arguments + ["-o", stopped, "--shard", "1/2", "--resume"],
                    ["merge", first, second, "-o", "all.\(format)"],
                ] {
                    let outcome = try await Command.run(arguments, in: folder)
                    #expect([2, 5].contains(outcome.status), "\(change): \(arguments): \(outcome.errors)")
                    #expect(outcome.errorLines.count == 1)
                    #expect(outcome.errors.utf8.count < 500)
                }
            }
        }
    }

    @Test("Of very many shards the missing ones are summarized")
    func missingShards() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 4)
            let part = folder.appendingPathComponent("part.jsonl")
            _ = try await Command.run(pictures.arguments + ["-o", "part.jsonl", "--shard", "3/100000000"], in: folder)
            let outcome = try await Command.run("merge", part.path, "-o", "all.jsonl", in: folder)
            #expect(outcome.status == 2)
            #expect(
                outcome.errors
                    == "apus: these shards are missing: 1/100000000 to 2/100000000, 4/100000000 to 100000000/100000000\n"
            )
        }
    }
}

/// The manifest beside an output, as JSON.
enum Manifest {
    static func file(of output: URL) -> URL { URL(fileURLWithPath: output.path + ".run.json") }

    /// Writes it again with changes.
    static func edit(_ output: URL, _ body: (inout [String: Any]) throws -> Void) throws {
        let file = file(of: output)
        var object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
        try body(&object)
        try JSONSerialization.data(withJSONObject: object).write(to: file)
    }

    /// Sets the value at a path such as `rows/failed` to a JSON value; nil removes it.
    static func set(_ manifest: inout [String: Any], _ path: String, to json: String?) throws {
        let keys = path.split(separator: "/", maxSplits: 1).map(String.init)
        if keys.count > 1 {
            var object = manifest[keys[0]] as? [String: Any] ?? [:]
            try set(&object, keys[1], to: json)
            manifest[keys[0]] = object
        } else {
            manifest[path] = try json.map {
                try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
            }
        }
    }
}
