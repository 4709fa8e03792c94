import Foundation
import TestSupport
import Testing

/// Searching the vectors of a run, as a user asks for it.
@Suite("apus search and apus duplicates")
struct SearchTests {
    private struct Row: Decodable {
        struct Neighbor: Decodable {
            let id: String
            let position: Int
            let similarity: Double
        }
        let query: String
        let neighbors: [Neighbor]?
    }

    /// Calls `body` in a folder with an index of the photos, one of them twice.
    private func withIndex(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            for photo in Fixtures.photos {
                try Fixtures.data("photos/\(photo)").write(to: folder.appending(path: photo))
            }
            try Fixtures.data("photos/coffee.png").write(to: folder.appending(path: "again.png"))
            try Data("no picture".utf8).write(to: folder.appending(path: "bad.png"))
            let outcome = try await Command.run(
                [
                    "predict", Fixtures.path(Fixtures.model), ".", "--task", "embed", "--output-name", "fire9", "-o",
                    "v.npy", "--quiet",
                ], in: folder)
            #expect(outcome.status == 1, "\(outcome.errors)")
            try await body(folder)
        }
    }

    @Test("Photos and records find their likes, and photos at fault become rows with an error")
    func search() async throws {
        try await withIndex { folder in
            let outcome = try await Command.run(["search", "v.npy", "coffee.png", "bad.png", "--top", "2"], in: folder)
            #expect(outcome.status == 1)
            let rows = try outcome.lines.filter { !$0.isEmpty }.map {
                try JSONDecoder().decode(Row.self, from: Data($0.utf8))
            }
            #expect(rows.map(\.query) == ["coffee.png", "bad.png"] && rows[1].neighbors == nil)
            let names = rows[0].neighbors?.map { $0.id.split(separator: "/").last ?? "" }
            // Both pictures are the same, and the one that comes first in the index is first.
            #expect(names == ["again.png", "coffee.png"])
            #expect(rows[0].neighbors?.allSatisfy { abs($0.similarity - 1) < 1e-6 } == true)
            let id = try #require(rows[0].neighbors?[1].id)
            let own = try await Command.run(
                ["search", "v.npy", "--id", id, "--top", "1", "--format", "csv"], in: folder)
            #expect(own.status == 0 && own.output.contains("again.png,0,1.0,"))
            let both = try await Command.run(
                ["search", "v.npy", "--id", id, "--id", "\(id)", "--top", "1", "--format", "csv"], in: folder)
            let lines = both.output.split(whereSeparator: \.isNewline)
            #expect(lines.count == 3 && Set(lines).count == 2)
        }
    }

    @Test("Clusters and pairs of nearly equal pictures are printed in every form")
    func duplicates() async throws {
        try await withIndex { folder in
            for (arguments, part) in [
                (["--format", "table"], "      1  "), (["--format", "csv"], "again.png,0\r\n1,"),
                (["--format", "jsonl"], "{\"cluster\":1,\"pictures\":[{\"id\":"),
                (["--show", "pairs", "--format", "csv"], "coffee.png,1.0"),
                (["--show", "pairs", "--format", "table"], "    1.0000  "),
                (["--show", "pairs"], "\"similarity\":1.0}"),
            ] {
                let outcome = try await Command.run(["duplicates", "v.npy"] + arguments, in: folder)
                #expect(outcome.status == 0 && outcome.output.contains(part), "\(arguments): \(outcome.output)")
                #expect(!outcome.output.contains("rocket"))
            }
        }
    }

    @Test("Another network, other steps, and an index that lacks its files end with one line")
    func refused() async throws {
        try await withIndex { folder in
            func refusal(_ arguments: String..., status: Int32, saying part: String) async throws {
                let outcome = try await Command.run(arguments, in: folder)
                #expect(outcome.status == status && outcome.errorLines.count == 1, "\(outcome.errors)")
                #expect(outcome.errors.contains(part), "\(outcome.errors)")
            }
            try await refusal(
                "search", "v.npy", "coffee.png", "--scale", "1/255", status: 2, saying: "preprocessing was")
            try await refusal("search", "v.npy", "coffee.png", "--model", "zoo:resnet18", status: 2, saying: "fire9")
            try await refusal("search", "v.npy", "--id", "nobody", status: 2, saying: "has no record nobody")
            try await refusal("search", "v.npy", status: 2, saying: "give pictures, or --id")
            try await refusal("search", "coffee.png", "--id", "a", status: 5, saying: "is not a record with a vector")
            let manifest = folder.appending(path: "v.npy.run.json")
            let text = try String(contentsOf: manifest, encoding: .utf8)
            try text.replacing(": \"finished\"", with: ": \"interrupted\"").write(
                to: manifest, atomically: true, encoding: .utf8)
            try await refusal("duplicates", "v.npy", status: 5, saying: "its run is not finished")
            try FileManager.default.removeItem(at: manifest)
            try await refusal("search", "v.npy", "coffee.png", status: 5, saying: "v.npy.run.json: no such file")
            try FileManager.default.removeItem(at: folder.appending(path: "v.npy.records.jsonl"))
            try await refusal("duplicates", "v.npy", status: 5, saying: "v.npy.records.jsonl: no such file")
        }
    }
}
