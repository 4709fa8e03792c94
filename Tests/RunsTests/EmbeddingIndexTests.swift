import Apus
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Indexes of vectors")
struct EmbeddingIndexTests {
    /// Vectors with duplicates and near ones, which do not fill blocks evenly.
    private static func vectors(_ count: Int, length: Int, seed: UInt64 = 1) -> [[Float]] {
        var random = SplitMix(state: seed)
        var rows: [[Float]] = []
        for row in 0..<count {
            if row % 7 == 3 {
                rows.append(rows[row / 2])
            } else if row % 11 == 5 {
                rows.append(rows[row / 3].map { $0 + Float(random.unit()) * 0.02 })
            } else {
                rows.append((0..<length).map { _ in Float(random.unit()) })
            }
        }
        return rows
    }

    /// Writes an index as a run writes it.
    static func write(_ rows: [[Float]?], length: Int, to file: URL) throws {
        let numbers = rows.flatMap { $0 ?? [Float](repeating: .nan, count: length) }
        try Tensor(numbers, shape: [rows.count, length]).write(toNumPyFile: file.path)
        let lines = rows.enumerated().map { position, row in
            "{\"id\":\"p\(position).jpg\",\"error\":"
                + (row == nil ? "{\"stage\":\"decode\",\"code\":\"cut\",\"message\":\"cut\"}" : "null") + "}\n"
        }
        try lines.joined().write(to: file.appendingPathExtension("records.jsonl"), atomically: true, encoding: .utf8)
    }

    /// The neighbours by the formula, one after another.
    private static func expected(_ query: [Float], _ rows: [[Float]?], count: Int) -> [(Int, Double)] {
        func product(_ a: [Float], _ b: [Float]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
        let found = rows.enumerated().compactMap { position, row in
            row.map { (position, product(query, $0) / (product(query, query) * product($0, $0)).squareRoot()) }
        }
        return Array(found.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(count))
    }

    @Test(
        "Neighbours are those of the formula, whether held or read in blocks, with ties by position",
        arguments: [0, 1 << 30])
    func neighbors(held: Int) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "v.npy")
            var rows: [[Float]?] = Self.vectors(3000, length: 67)
            rows[17] = nil
            rows[2999] = nil
            try Self.write(rows, length: 67, to: file)
            let index = try EmbeddingIndex(contentsOf: file.path, holdingUpTo: held)
            let queries = Self.vectors(5, length: 67, seed: 9) + [try #require(rows[3])]
            for threads in [1, 3] {
                let found = try await index.neighbors(
                    of: queries.map { ImageEmbedding($0) }, count: 12, threads: threads)
                for (query, neighbors) in zip(queries, found) {
                    let expected = Self.expected(query, rows, count: 12)
                    #expect(neighbors.map(\.position) == expected.map(\.0))
                    for (neighbor, other) in zip(neighbors, expected) {
                        #expect(abs(neighbor.similarity - other.1) < 1e-14 && neighbor.id == "p\(other.0).jpg")
                    }
                }
            }
            let own = try await index.neighbors(ofID: "p3.jpg", count: 3)
            let others = Self.expected(queries[5], rows, count: 20).map(\.0).filter { $0 != 3 }
            #expect(own.map(\.position) == Array(others.prefix(3)))
        }
    }

    @Test("Vectors far beyond and far below 1 are compared exactly")
    func extremes() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "v.npy")
            let rows: [[Float]] = [
                [1e30, 0, 1e30], [1e-30, 1e-30, 0], [3, 3, 1], [.leastNonzeroMagnitude * 7, 0, 0], [-1e38, 1e38, 1e38],
            ]
            try Self.write(rows, length: 3, to: file)
            let index = try EmbeddingIndex(contentsOf: file.path)
            for query in rows {
                let found = try await index.neighbors(of: [ImageEmbedding(query)], count: 5)[0]
                #expect(found.map(\.position) == Self.expected(query, rows, count: 5).map(\.0))
            }
        }
    }

    @Test("Pairs and clusters are those of the formula", arguments: [0.9995, 0.95, 0.5])
    func duplicates(minimum: Double) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "v.npy")
            var rows: [[Float]?] = Self.vectors(1200, length: 24)
            rows[40] = nil
            try Self.write(rows, length: 24, to: file)
            let index = try EmbeddingIndex(contentsOf: file.path, holdingUpTo: 0)
            var expected: [[Int]] = []
            var parents = Array(rows.indices)
            for (first, row) in rows.enumerated() {
                guard let row else { continue }
                for (second, similarity) in Self.expected(row, rows, count: rows.count)
                where second > first && similarity >= minimum {
                    expected.append([first, second])
                    let (a, b) = (parents[first], parents[second])
                    if a != b {
                        for index in parents.indices where parents[index] == max(a, b) { parents[index] = min(a, b) }
                    }
                }
            }
            expected.sort { $0.lexicographicallyPrecedes($1) }
            for threads in [1, 2] {
                let pairs = try await index.pairs(minimumSimilarity: minimum, threads: threads)
                #expect(pairs.map { [$0.first.position, $0.second.position] } == expected)
                #expect(pairs.allSatisfy { $0.similarity >= minimum })
                let groups = Dictionary(grouping: parents.indices, by: { parents[$0] }).filter { $1.count > 1 }
                let clusters = try await index.duplicates(minimumSimilarity: minimum, threads: threads)
                #expect(clusters.map(\.positions) == groups.keys.sorted().map { groups[$0] })
                #expect(clusters.allSatisfy { $0.ids == $0.positions.map { "p\($0).jpg" } })
            }
            if expected.count > 10 {
                let error = await #expect(throws: ApusError.self) {
                    try await index.pairs(minimumSimilarity: minimum, maximumCount: 10)
                }
                #expect(error.map { "\($0)" }?.contains("more than 10 pairs") == true)
            }
        }
    }

    @Test("Vectors of objects, as recipes write them, have the names of their records with a number")
    func objects() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "faces.jsonl")
            func object(_ vector: String) -> String {
                #"{"index":0,"answers":{"mesh":{"landmarks":{}},"identity":{"embedding":\#(vector)}}}"#
            }
            let lines = [
                #"{"id":"a.png","objects":[\#(object("[1,0]")),\#(object("[0,1]"))],"error":null}"#,
                #"{"id":"b.png","objects":[],"error":null}"#, #"{"id":"c.png","error":{"stage":"decode"}}"#,
                #"{"id":"d.png","objects":[{"index":0},\#(object("[1,0.1]"))],"error":null}"#,
            ]
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            let index = try EmbeddingIndex(contentsOf: file.path)
            let found = try await index.neighbors(ofID: "a.png#1", count: 5)
            #expect(found.map(\.id) == ["d.png#2", "a.png#2"])
            let clusters = try await index.duplicates(minimumSimilarity: 0.9)
            #expect(clusters.map(\.ids) == [["a.png#1", "d.png#2"]])
            let two = #"{"id":"a","objects":[{"answers":{"x":{"embedding":[1]},"y":{"embedding":[2]}}}]}"#
            try Data((two + "\n").utf8).write(to: file)
            let error = #expect(throws: ApusError.self) { try EmbeddingIndex(contentsOf: file.path) }
            #expect("\(try #require(error))".contains("vectors of several stages"))
        }
    }

    @Test("A database of objects gives the vectors of its JSON Lines")
    func databaseOfObjects() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "faces.sqlite").path
            let database = try Database(path: path)
            try database.execute(
                """
                CREATE TABLE records (id INTEGER PRIMARY KEY, name TEXT, error_code TEXT);
                CREATE TABLE parts (record INTEGER, row INTEGER, part INTEGER, stage TEXT, kind TEXT, json TEXT);
                INSERT INTO records VALUES (1, 'a.png', NULL), (2, 'b.png', 'cut'), (3, 'c.png', NULL);
                INSERT INTO parts VALUES (1, 1, 1, 'mesh', 'landmarks', '{}'),
                    (1, 2, 1, 'identity', 'embeddings', '{"embedding":[1,0]}'),
                    (1, 3, 2, 'identity', 'embeddings', '{"embedding":[1,0.5]}');
                """)
            try database.close()
            let index = try EmbeddingIndex(contentsOf: path)
            #expect(try await index.neighbors(ofID: "a.png#1", count: 5).map(\.id) == ["a.png#2"])
        }
    }

    @Test("Rows that are all alike are one cluster, without those that differ or have an error")
    func alike() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "v.npy")
            var rows = [[Float]?](repeating: [1, 2, 3], count: 1200)
            rows[40] = nil
            for row in [700, 1100] { rows[row] = [-3, 0, 1] }
            try Self.write(rows, length: 3, to: file)
            let index = try EmbeddingIndex(contentsOf: file.path, holdingUpTo: 0)
            let others = rows.indices.filter { rows[$0]?.first == 1 }
            for threads in [1, 2] {
                let clusters = try await index.duplicates(minimumSimilarity: 0.95, threads: threads)
                #expect(clusters.map(\.positions) == [others, [700, 1100]])
            }
        }
    }

    @Test("Damaged indexes say in one line what is wrong")
    func damaged() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "v.npy")
            let records = file.appendingPathExtension("records.jsonl")
            func message(_ change: () throws -> Void) async throws -> String {
                try Self.write(Self.vectors(20, length: 4), length: 4, to: file)
                try change()
                do {
                    let index = try EmbeddingIndex(contentsOf: file.path)
                    _ = try await index.neighbors(of: [ImageEmbedding([1, 2, 3, 4])], count: 3)
                    return "none"
                } catch { return "\(error)" }
            }
            #expect(try await message {} == "none")
            let whole = try Data(contentsOf: file)
            let cut = try await message { try whole.prefix(200).write(to: file) }
            #expect(cut.contains("does not have the bytes of 20 vectors of 4 numbers"))
            let doubles = try await message {
                try Tensor([Double](repeating: 1, count: 80), shape: [20, 4]).write(toNumPyFile: file.path)
            }
            #expect(doubles.contains("is an array of float64"))
            let foreign = try await message {
                let text = try String(contentsOf: records, encoding: .utf8)
                try text.replacing("\"p3", with: " \"p3").write(to: records, atomically: true, encoding: .utf8)
            }
            #expect(foreign.contains("line 4 is not one that apus predict writes"))
            let flat = try await message { try Tensor([1, 2, 3] as [Float], shape: [3]).write(toNumPyFile: file.path) }
            #expect(flat.contains("two axes"))
            #expect(try await message { try FileManager.default.removeItem(at: records) }.contains("no such file"))
            let short = try await message {
                try "{\"id\":\"a\",\"error\":null}\n".write(to: records, atomically: true, encoding: .utf8)
            }
            #expect(short.contains("names 1 records") && short.contains("has 20 rows"))
            for (value, flaw) in [(Float.nan, "not finite"), (.infinity, "not finite"), (0, "only zeros")] {
                let text = try await message {
                    var rows: [[Float]?] = Self.vectors(20, length: 4)
                    rows[7] = [value, value, value, value]
                    try Self.write(rows, length: 4, to: file)
                }
                #expect(text.contains("the vector of p7.jpg") && text.contains(flaw) && !text.contains("\n"))
            }
            let other = try EmbeddingIndex(contentsOf: file.path)
            await #expect(throws: ApusError.self) { try await other.neighbors(of: [ImageEmbedding([1])], count: 1) }
            await #expect(throws: ApusError.self) {
                try await other.neighbors(of: [ImageEmbedding([0, 0, 0, 0])], count: 1)
            }
            await #expect(throws: ApusError.self) { try await other.neighbors(ofID: "nobody", count: 1) }
        }
    }

    @Test("Arrays, databases and JSON Lines of one run give the same neighbours")
    func forms() async throws {
        try await withTemporaryFolder { folder in
            let embedder = try await Embedder(TestedNetworks.small(), embedding: .init(output: "scores"))
            var answers: [[EmbeddingIndex.Neighbor]] = []
            for (name, kind) in [("a.npy", SinkKind.numPy), ("a.sqlite", .sqlite), ("a.jsonl", .jsonLines)] {
                let file = folder.appending(path: name)
                _ = try await RunReservation.taking(file) { reservation in
                    try await BatchRunner(embedder).run(
                        over: TestedDataset(count: 30), into: RunOutput(reservation, as: kind))
                }
                let index = try EmbeddingIndex(contentsOf: file.path)
                #expect(index.options?.output == "scores" && index.options?.isNormalized == true)
                try index.check(embedder)
                let id = try index.id(12)
                #expect(try index.embedding(of: id).vector.count == 5)
                answers.append(try await index.neighbors(ofID: id, count: 29))
                let plain = try await Embedder(
                    TestedNetworks.small(), embedding: .init(output: "scores", isNormalized: false))
                let error = #expect(throws: ApusError.self) { try index.check(plain) }
                #expect(error.map { "\($0)" }?.contains("normalize was true and is false") == true)
            }
            #expect(answers[0] == answers[1] && answers[0].map(\.id) == answers[2].map(\.id))
        }
    }
}

/// SplitMix64, with a fixed seed.
private struct SplitMix {
    var state: UInt64

    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.4
    }
}
