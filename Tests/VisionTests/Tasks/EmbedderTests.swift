import Apus
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Vectors of pictures")
struct EmbedderTests {
    private static let photos = ["astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg"].map(TestedNetworks.photo)

    /// A network that gives the input's numbers in another order: tokens [L, C] = [4, 3].
    private func tokens() throws -> Model {
        try Model(
            try Graph.build("tokens") { net in
                net.output("y", net.input("image", .float32, [.batch, 3, 2, 2]).reshape([0, 4, 3]))
            })
    }

    private static let numbers = (1...12).map(Float.init)

    @Test("Tokens are pooled to their mean or their first")
    func pooling() async throws {
        let array = try Tensor(Self.numbers, shape: [3, 2, 2])
        var options = Embedder.Options(isNormalized: false)
        let mean = try await Embedder(tokens(), embedding: options).predict(.array(array))
        #expect(mean.vector == [5.5, 6.5, 7.5])
        options.pooling = .first
        let first = try await Embedder(tokens(), embedding: options).predict(.array(array))
        #expect(first.vector == [1, 2, 3])
    }

    @Test("Maps are pooled over all positions, wherever their channels lie")
    func maps() async throws {
        let first = try Model(
            try Graph.build("maps") { net in
                net.output("y", net.input("image", .float32, [.batch, 3, 2, 2]).relu())
            })
        let array = try Tensor(Self.numbers, shape: [3, 2, 2])
        let options = Embedder.Options(isNormalized: false)
        #expect(try await Embedder(first, embedding: options).predict(.array(array)).vector == [2.5, 6.5, 10.5])
        let last = try Model(
            try Graph.build("maps") { net in
                net.output("y", net.input("image", .float32, [.batch, 2, 2, 3]).relu())
            })
        let turned = try Tensor(Self.numbers, shape: [2, 2, 3])
        #expect(try await Embedder(last, embedding: options).predict(.array(turned)).vector == [5.5, 6.5, 7.5])
    }

    @Test("Vectors have the length 1 unless they are asked for plain")
    func normalized() async throws {
        let embedder = try await Embedder(TestedNetworks.squeezeNet(), embedding: .init(output: "fire9"))
        #expect(embedder.vectorCount == 512 && embedder.outputName == "fire9")
        let vector = try await embedder.predict(.file(Self.photos[2])).vector
        #expect(abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5)
        let plain = try await Embedder(
            TestedNetworks.squeezeNet(), embedding: .init(output: "fire9", isNormalized: false))
        let long = try await plain.predict(.file(Self.photos[2]))
        let length = long.vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        for (found, expected) in zip(vector, long.vector) { #expect(abs(found - expected / length) < 1e-6) }
    }

    @Test("A batch gives the same bits as one picture after the other")
    func batches() async throws {
        let embedder = try await Embedder(TestedNetworks.squeezeNet(), embedding: .init(output: "fire9"))
        var together: [ImageEmbedding] = []
        for try await record in embedder.predictions(over: .files(Self.photos), batch: 4) {
            together.append(try record.embedding.get())
        }
        for (photo, answer) in zip(Self.photos, together) {
            #expect(try await embedder.predict(.file(photo)) == answer)
        }
        #expect(together.count == 4)
    }

    @Test("A database has a row of bytes for each vector, and none for what failed")
    func database() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).sqlite")
        defer { for suffix in ["", ".run.json"] { try? FileManager.default.removeItem(atPath: file.path + suffix) } }
        let embedder = try await Embedder(TestedNetworks.squeezeNet(), embedding: .init(output: "fire9"))
        let files = [Self.photos[0], "missing.png", Self.photos[3]]
        let output = RunOutput(try RunReservation(path: file.path), as: .sqlite)
        let summary = try await BatchRunner(embedder).run(over: .files(files), into: output)
        #expect(summary.succeeded == 2 && summary.failed == 1)
        let database = try Database(path: file.path, access: .readOnly)
        let stored = try database.rows("SELECT record, vector FROM embeddings ORDER BY record") { row in
            guard case .blob(let bytes) = row[1] else { return (row[0].integer, [Float]()) }
            return (
                row[0].integer,
                bytes.withUnsafeBytes { bytes in
                    (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
                }
            )
        }
        try database.close()
        #expect(stored.map(\.0) == [0, 2])
        #expect(try await embedder.predict(.file(files[0])).vector == stored.first?.1)
        #expect(try await embedder.predict(.file(files[2])).vector == stored.last?.1)
        // A changed byte is found.
        let manifest = try #require(try RunManifest.read(besideOutput: file.path))
        try manifest.verify(output: file.path)
        let changed = try Database(path: file.path)
        try changed.execute("UPDATE embeddings SET vector = zeroblob(2048) WHERE record = 2")
        try changed.close()
        #expect(throws: ApusError.self) { try manifest.verify(output: file.path) }
    }

    @Test("Requests give the same, and vectors are compared by their angle")
    func requests() async throws {
        let embedder = try await Embedder(TestedNetworks.squeezeNet(), embedding: .init(output: "fire9"))
        let handler = try ImageRequestHandler(.file(Self.photos[1]))
        let found = try await handler.perform(PredictionRequest(embedder))
        #expect(try await embedder.predict(.file(Self.photos[1])) == found)
        #expect(abs((found.cosineSimilarity(to: found) ?? 0) - 1) < 1e-6)
        #expect(found.distance(to: found) == 0)
        let other = try await embedder.predict(.file(Self.photos[3]))
        #expect((found.cosineSimilarity(to: other) ?? 1) < 0.9)
    }

    @Test("What is no value of the network, or no vector, is refused by name")
    func refused() async throws {
        await #expect(throws: ApusError.self) {
            try await Embedder(TestedNetworks.squeezeNet(), embedding: .init(output: "nothing"))
        }
        let reader = try await OutputReader(TestedNetworks.squeezeNet(), output: "conv10")
        let outputs = try await reader.predict(.file(Self.photos[0]))
        #expect(outputs["conv10"]?.shape == [1000, 13, 13] && outputs.outputs.count == 1)
    }
}
