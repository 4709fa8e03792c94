import Apus
import Foundation
import Graphs
import Quantizing
import Tensors
import TestSupport
import Testing

@Suite("Transformers that are quantized with pictures")
struct StaticTransformerTests {
    private static let photos = TestedNetworks.fixtures.appending(path: "photos").path
    private static let features = 48

    /// A transformer's layer on patches of pictures of 32 × 32, in which normalizations make one channel large
    /// that is multiplied by small weights.
    private func transformer() throws -> Model {
        var graph = try Graph.build("transformer") { net in
            let patches = net.input("image", .float32, [.batch, 3, 32, 32])
                .convolution(Self.features, kernel: 8, stride: 8).reshape([0, Self.features, 16]).transpose([0, 2, 1])
            let tokens = patches.transformerEncoder(heads: 3, hidden: 96).layerNormalization()
            net.output("scores", tokens.select(0, axis: 1).linear(10))
        }.seeded(7)
        for place in graph.balanceableNormalizations {
            let (scaleID, weightID) = (
                try #require(graph.nodes[place.node].inputs[1]),
                try #require(graph.nodes[place.products[0]].inputs[1])
            )
            var scale = try #require(graph.initializers[scaleID]).elements(as: Float.self)
            let weights = try #require(graph.initializers[weightID])
            var numbers = weights.elements(as: Float.self)
            scale[5] *= 60
            for column in 0..<weights.shape[1] { numbers[5 * weights.shape[1] + column] /= 60 }
            graph.initializers[scaleID] = try Tensor(scale, shape: [Self.features])
            graph.initializers[weightID] = try Tensor(numbers, shape: weights.shape)
        }
        return try Model(graph)
    }

    private func picture() throws -> Tensor {
        var generator = SplitMix64(seed: 9)
        return try Tensor(
            (0..<3 * 32 * 32).map { _ in Float.random(in: 0...1, using: &generator) }, shape: [1, 3, 32, 32])
    }

    private func scores(_ model: Model) async throws -> [Float] {
        let session = try await Session(model)
        return try #require(try await session.predict(["image": picture()])["scores"]).elements(as: Float.self)
    }

    private func distance(_ a: [Float], _ b: [Float]) -> Float {
        let squares = zip(a, b).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return (squares / b.reduce(0) { $0 + $1 * $1 }).squareRoot()
    }

    @Test("Balancing changes no answer, and brings the channels of a normalization closer to one another")
    func balancing() async throws {
        let model = try transformer()
        var graph = try Rewrites.declutter(model.source, using: Rewrites.exportable).graph
        let places = graph.balanceableNormalizations
        // The last normalization's result is selected from before it is multiplied.
        #expect(places.count == 2 && places.allSatisfy { $0.products.count == 1 })
        var magnitudes = [Float](repeating: 3, count: Self.features)
        (magnitudes[5], magnitudes[7], magnitudes[8]) = (180, 0, .nan)
        for place in places { try graph.balance(place, magnitudes: magnitudes, strength: 0.5) }
        for place in places {
            let id = try #require(graph.nodes[place.node].inputs[1])
            let scale = try #require(graph.initializers[id]).elements(as: Float.self)
            #expect(scale.allSatisfy { $0.isFinite })
            #expect(scale[5] / scale[6] < 20)
        }
        let moved = distance(try await scores(Model(graph)), try await scores(model))
        #expect(moved < 1e-5, "\(moved)")
    }

    @Test("Products become integers with float32 results, and balancing makes their answers more exact")
    func quantizes() async throws {
        let model = try transformer()
        let expected = try await scores(model)
        var errors: [Float] = []
        for balancing in [nil, 0.5] {
            var options = Model.QuantizationOptions()
            options.balancing = balancing
            options.floatLayerCount = 0
            let (quantized, _) = try await model.quantized(
                calibratingWith: .imageFolder(Self.photos), options: options)
            #expect(quantized.graph.nodes.count { $0.operation is QuantizedMatMul } == 5)
            #expect(!quantized.graph.nodes.contains { $0.operation is MatMul || $0.operation is Gemm })
            errors.append(distance(try await scores(quantized), expected))
        }
        #expect(errors[1] < 0.1, "\(errors)")
        #expect(errors[1] < errors[0], "\(errors)")
    }
}
