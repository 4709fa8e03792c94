import Apus
import Foundation
import Graphs
import Tensors
import TestSupport
import Testing

@Suite("Weights that stay in the model's file")
struct ModelFileTests {
    /// A file of a network with weights large enough to stay in it, removed with its folder.
    private final class ModelFile {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        var path: String { folder.appending(path: "model.onnx").path }

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.network(seed: 3).export(to: path)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// Branches whose 1×1 convolutions merge, with batch normalisations that fold, and a linear layer.
        static func network(seed: UInt64) throws -> Model {
            let graph = try Graph.build("branches") { net in
                let image = net.input("image", .float32, [.batch, 3, 16, 16])
                let stem = image.convolution(160, kernel: 3).batchNormalization().relu()
                let first = stem.convolution(128, kernel: 1).batchNormalization().relu()
                let second = stem.convolution(112, kernel: 1).batchNormalization().relu()
                let ends = [first, second].map { $0.convolution(64, kernel: 3).batchNormalization().relu() }
                net.output("scores", ends[0].concat(with: ends[1]).globalAveragePool().flatten().linear(200))
            }
            return try Model(graph.seeded(seed))
        }

        /// Writes to the file itself, as `cp` does.
        func overwrite(_ content: Data) throws {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: content)
            try file.close()
        }
    }

    private func scores(_ session: Session, _ count: Int) async throws -> [UInt32] {
        let images = try Tensor.random([count, 3, 16, 16], seed: 11)
        return try #require(try await session.predict(["image": images])["scores"]).bits
    }

    @Test("Sessions of several batch sizes and backends on one model agree with the network in memory, bit for bit")
    func agrees() async throws {
        let file = try ModelFile()
        let model = try Model(contentsOf: file.path)
        let built = try ModelFile.network(seed: 3)
        #expect(model.source.initializers.values.contains { $0.isPendingDerivation })
        for backend in [BackendName.cpu, .openblas, .reference] {
            let options = Session.Options(backends: [backend], threads: 2)
            let first = try await Session(model, options: options)
            let second = try await Session(model, options: options)
            let reference = try await Session(built, options: options)
            for count in [1, 3] {
                let expected = try await scores(reference, count)
                #expect(try await scores(first, count) == expected)
                #expect(try await scores(second, count) == expected)
            }
        }
        #expect(try model.onnx() == Data(contentsOf: URL(fileURLWithPath: file.path)))
        #expect(try model.onnx(options: .init(isDecluttered: true)) == built.onnx(options: .init(isDecluttered: true)))
    }

    @Test("A file that is replaced or deleted does not matter")
    func survivesReplacement() async throws {
        let (file, other) = (try ModelFile(), try ModelFile())
        let expected = try await scores(Session(ModelFile.network(seed: 3)), 2)
        let model = try Model(contentsOf: file.path)
        try ModelFile.network(seed: 4).export(to: file.path)
        #expect(try await scores(Session(model), 2) == expected)
        #expect(try await scores(Session(Model(contentsOf: file.path)), 2) != expected)
        let deleted = try Model(contentsOf: other.path)
        try FileManager.default.removeItem(atPath: other.path)
        #expect(try await scores(Session(deleted), 2) == expected)
    }

    @Test(
        "A file that is written to leaves sessions as they are, and is an error for new ones", arguments: [true, false])
    func noticesOverwriting(isCut: Bool) async throws {
        let file = try ModelFile()
        let model = try Model(contentsOf: file.path)
        let session = try await Session(model)
        let expected = try await scores(session, 1)
        let content = try Data(contentsOf: URL(fileURLWithPath: file.path))
        // Later than the file's first time by more than the clock's steps.
        try await Task.sleep(for: .milliseconds(20))
        try file.overwrite(isCut ? content.prefix(1000) : Data(content.reversed()))
        #expect(try await scores(session, 1) == expected)
        #expect(try await Array(scores(session, 4)[..<200]).count == expected.count)
        for backend in [BackendName.cpu, .openblas, .reference] {
            await #expect(throws: ApusError.self) { try await Session(model, options: .init(backends: [backend])) }
        }
        do {
            _ = try await Session(model)
        } catch {
            guard case .file(file.path, let message) = error else { throw error }
            #expect(message.contains(isCut ? "shorter" : "overwritten"))
        }
        #expect(throws: ApusError.self) { try model.onnx() }
        #expect(throws: ApusError.self) { try model.onnx(options: .init(isDecluttered: true)) }
    }
}
