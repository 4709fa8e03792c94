import Apus
import Foundation
import TestSupport
import Testing

@Suite struct RunTests {
    /// The input of the network for a photo, as a file in `folder`.
    private func writeInput(_ photo: String, in folder: URL) throws -> String {
        let model = try Model(contentsOf: Fixtures.path(Fixtures.model))
        let preprocessing = try #require(model.preprocessing)
        let pixels = try preprocessing.tensor(from: Image(decoding: Fixtures.data("photos/\(photo)")))
        let path = folder.appendingPathComponent("pixels.npy").path
        try pixels.write(toNumPyFile: path)
        return path
    }

    @Test func theOutputIsThePrediction() async throws {
        try await withTemporaryFolder { folder in
            let input = try writeInput("coffee.png", in: folder)
            let outcome = try await Command.run(
                "run", Fixtures.model, "--input", "data=\(input)", "-o", folder.appendingPathComponent("new/out").path)
            #expect(outcome.status == 0)
            #expect(outcome.lines.count == 2)
            let scores = try Tensor(contentsOfNumPyFile: folder.appendingPathComponent("new/out/prob.npy").path)
            #expect(scores.shape == [1, 1000])
            let predicted = try await Command.run("predict", Fixtures.model, "photos/coffee.png", "--top", "1000")
            let row = try #require(try Row.all(predicted.lines).first)
            let confidences = scores.elements(as: Float.self)
            for prediction in try #require(row.predictions) {
                #expect(prediction.confidence.map(Float.init) == confidences[prediction.index])
            }
        }
    }

    @Test func innerValuesAreFetchedAsTheFileDescribesThem() async throws {
        struct Entry: Decodable {
            let name: String
            let shape: [Int]
            let file: String
        }
        try await withTemporaryFolder { folder in
            let input = try writeInput("chelsea.png", in: folder)
            let outcome = try await Command.run(
                "run", Fixtures.model, "--input", "data=\(input)", "-o", folder.path, "--json", "--fetch", "conv1",
                "--fetch", "conv1_r", "--fetch", "fire2/squeeze1x1")
            let entries = try JSONDecoder().decode([Entry].self, from: Data(outcome.output.utf8))
            #expect(entries.map(\.name) == ["prob", "conv1", "conv1_r", "fire2/squeeze1x1"])
            #expect(entries.last?.file.hasSuffix("/fire2_squeeze1x1.npy") == true)
            let before = try Tensor(contentsOfNumPyFile: entries[1].file).elements(as: Float.self)
            let after = try Tensor(contentsOfNumPyFile: entries[2].file).elements(as: Float.self)
            #expect(before.contains { $0 < 0 }, "the activation is not fused into a value that is fetched")
            #expect(after == before.map { max($0, 0) })
        }
    }

    @Test("A network without inputs is run without arrays")
    func networkWithoutInputs() async throws {
        try await withTemporaryFolder { folder in
            let numbers = try Tensor([-1, 0, 2] as [Float], shape: [3])
            let graph = try Graph.build("numbers") { net in
                net.output("positive", net.constant("numbers", numbers).relu())
            }
            let model = folder.appendingPathComponent("numbers.onnx").path
            try Model(graph).export(to: model)
            let outcome = try await Command.run("run", model, "-o", folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let output = try Tensor(contentsOfNumPyFile: folder.appendingPathComponent("positive.npy").path)
            #expect(output.elements(as: Float.self) == [0, 0, 2])
        }
    }

    @Test func fetchingDoesNotChangeTheAnswer() async throws {
        try await withTemporaryFolder { folder in
            let input = try writeInput("rocket.jpg", in: folder)
            let folders = ["plain", "fetched"].map { folder.appendingPathComponent($0).path }
            _ = try await Command.run("run", Fixtures.model, "--input", "data=\(input)", "-o", folders[0])
            _ = try await Command.run(
                "run", Fixtures.model, "--input", "data=\(input)", "-o", folders[1], "--fetch", "conv10")
            let scores = try folders.map { try Tensor(contentsOfNumPyFile: $0 + "/prob.npy").elements(as: Float.self) }
            for (plain, fetched) in zip(scores[0], scores[1]) { #expect(abs(plain - fetched) < 1e-6) }
        }
    }
}
