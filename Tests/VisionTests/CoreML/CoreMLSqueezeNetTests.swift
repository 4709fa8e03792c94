import Apus
import Foundation
import Graphs
import TestSupport
import Testing

@Suite("SqueezeNet as a Core ML model")
struct CoreMLSqueezeNetTests {
    private static let photos = ["astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg"]

    /// The committed network and its labels, written as a Core ML classifier and read again.
    private func converted(_ weights: CoreMLWriter.Weights) throws -> (Model, original: Model) {
        let original = try TestedNetworks.squeezeNet()
        let labels = try #require(original.labels)
        let names = (0..<1000).map { labels[$0] ?? "" }
        let content = try CoreMLWriter(original.source, weights: weights)
            .classifier(labels: names, bias: [-103.939, -116.779, -123.68])
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "SqueezeNet.mlmodel")
        try content.write(to: file)
        return (try Model(contentsOf: file.path), original)
    }

    @Test("It becomes the same network as the ONNX file")
    func sameNetwork() throws {
        let (model, original) = try converted(.float32)
        #expect(model.graph.structure == original.graph.structure)
        #expect(model.source.metadata["author"] == "The authors of SqueezeNet")
        #expect(model.source.metadata["short_description"] == "What a picture shows")
    }

    @Test("Labels and preprocessing of the file give the answers of the ONNX file", arguments: photos)
    func sameAnswers(_ photo: String) async throws {
        let (model, original) = try converted(.float32)
        #expect(model.labels != nil && model.preprocessing != nil)
        let found = try await Classifier(model).predict(.file(TestedNetworks.photo(photo)))
        // Core ML models see what Vision cuts from the middle of a picture.
        var steps = try #require(original.preprocessing)
        let size = try #require(steps.fixedOutputSize)
        steps.setResizing(.centerCrop, to: size)
        let expected = try await Classifier(original, preprocessing: steps).predict(.file(TestedNetworks.photo(photo)))
        #expect(found.top(5).map(\.label) == expected.top(5).map(\.label))
        for (mine, other) in zip(found.top(5), expected.top(5)) {
            #expect(abs(mine.confidence - other.confidence) < 1e-5)
        }
    }

    @Test("Weights of 16 bits give nearly the same answers")
    func half() async throws {
        let (model, original) = try converted(.float16)
        let image = try Tensor.random([1, 3, 227, 227], seed: 5)
        let found = try await Session(model).predict(["image": image])
        let expected = try await Session(original).predict(["data": image])
        let scores = try #require(found["classLabelProbs"]).elements(as: Float.self)
        let others = try #require(expected["prob"]).elements(as: Float.self)
        #expect(zip(scores, others).allSatisfy { abs($0 - $1) < 1e-3 })
    }
}
