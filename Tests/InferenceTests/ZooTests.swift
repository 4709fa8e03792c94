import Apus
import Graphs
import TestSupport
import Testing

@Suite("Zoo", .serialized)
struct ZooTests {
    @Test(
        "Made up weights keep every network's values in range",
        arguments: Networks.all.filter { $0.task == .classification }.map(\.name))
    func isWellScaled(_ name: String) async throws {
        let zoo = try Model(zoo: name)
        let softmax = try #require(zoo.source.nodes.last { $0.operatorName == "Softmax" })
        let logits = zoo.source[try #require(softmax.inputs[0])].name
        let shape = try #require(zoo.source.inputs.first.flatMap { zoo.source[$0].shape })
        let session = try await Session(zoo.fetching([logits]), options: .init(threads: 2))
        // Uniform numbers of mean 0 and variance 1, on two pictures.
        let seed: UInt64 = 7
        var generator = SplitMix64(seed: seed)
        let extents = [2] + shape.dimensions.dropFirst().compactMap(\.value)
        let pictures = try Tensor(
            (0..<extents.reduce(1, *)).map { _ in Float((generator.nextUnit() - 0.5) * 12.0.squareRoot()) },
            shape: extents)
        let answer = try await session.predict(["data": pictures])
        let scores = try #require(answer[logits]).elements(as: Float.self).map(Double.init)
        #expect(scores.count == 2000)
        #expect(scores.allSatisfy { $0.isFinite })
        let first = scores[..<1000]
        let mean = first.reduce(0, +) / 1000
        let deviation = (first.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 1000).squareRoot()
        // Activations that are not linear for small numbers make those smaller from layer to layer.
        let isSmooth = zoo.source.nodes.contains { ["Sigmoid", "HardSwish"].contains($0.operatorName) }
        #expect(deviation > (isSmooth ? 0.01 : 0.1) && deviation < 8, "\(deviation), seed \(seed)")
        let probabilities = try #require(answer["prob"]).elements(as: Float.self)
        #expect(probabilities.allSatisfy { $0 > 0 && $0 < 0.5 }, "seed \(seed)")
        #expect(probabilities[..<1000] != probabilities[1000...])
    }

    @Test(
        "Made up weights keep the scores of a segmentation in range",
        arguments: [("unet", 64), ("deeplab_v3_mobilenet_v3_large", 136)])
    func segments(_ name: String, _ extent: Int) async throws {
        let graph = try #require(Networks.find(name)).build(extent: extent).seeded(0)
        let session = try await Session(Model(graph), options: .init(threads: 2))
        let seed: UInt64 = 7
        var generator = SplitMix64(seed: seed)
        let picture = try Tensor(
            (0..<3 * extent * extent).map { _ in Float((generator.nextUnit() - 0.5) * 12.0.squareRoot()) },
            shape: [1, 3, extent, extent])
        let scores = try #require(try await session.predict(["data": picture])["scores"])
        #expect(Array(scores.shape.suffix(2)) == [extent, extent])
        let values = scores.elements(as: Float.self).map(Double.init)
        let meanSquare = values.reduce(0) { $0 + $1 * $1 } / Double(values.count)
        #expect(meanSquare > 0.01 && meanSquare < 64, "\(meanSquare), seed \(seed)")
    }

    @Test(
        "A detector of the zoo runs with its decoder, and its values stay in range",
        arguments: [("yolov3_tiny", "yolov3"), ("yolov8n", "yolov8")])
    func detects(_ name: String, decoder: String) async throws {
        let zoo = try Model(zoo: name)
        var configuration = DetectionConfiguration()
        configuration.minimumConfidence = 0.1
        let detector = try await ObjectDetector(zoo, options: .init(threads: 2), configuration: configuration)
        #expect(detector.decoderName == decoder)
        let objects = try await detector.predict(.file(TestedNetworks.photo("coffee.png"))).objects
        #expect(objects.count > 0 && objects.count <= 100)
        #expect(objects.allSatisfy { $0.confidence >= 0.1 && $0.confidence < 1 && $0.box.maxX <= 1.0001 })
    }

    @Test("A network is found by its aliases too, and what is not there is answered with the list")
    func names() throws {
        #expect(try Model(contentsOf: "zoo:googlenet").graph.name == "inception_v1")
        do {
            _ = try Model(zoo: "resnet19")
            Issue.record("resnet19 is no network of the zoo")
        } catch {
            for network in Networks.all { #expect("\(error)".contains(network.name)) }
        }
    }
}
