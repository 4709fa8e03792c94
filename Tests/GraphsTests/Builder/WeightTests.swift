import Graphs
import Tensors
import Testing

@Suite("Weights")
struct WeightTests {
    private func network(_ prefix: String = "", features: Int = 3) throws(GraphError) -> Graph {
        try Graph.build("network") { net in
            let image = net.input("image", .float32, [.batch, 2, 4, 4])
            let result = image.convolution(5, kernel: 3).named(prefix + "conv").batchNormalization()
                .named(prefix + "norm").relu().flatten().linear(features).named(prefix + "fc")
            net.output("out", result)
        }
    }

    private func message(_ body: () throws -> Graph) -> String {
        do {
            _ = try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test("weights come from another network by name")
    func byName() throws {
        let source = try network().seeded(3)
        let loaded = try network().loadingWeights(from: source)
        #expect(loaded.missingWeights.isEmpty)
        let id = try #require(loaded.value(named: "conv.weight"))
        #expect(loaded.initializers[id]?.elements(as: Float.self) == source.initializers[id]?.elements(as: Float.self))
        #expect(loaded.parameterCount == source.parameterCount)
    }

    @Test("weights come from another network by order, whatever its names")
    func byOrder() throws {
        let source = try network("other_").seeded(3)
        let loaded = try network().loadingWeights(from: source, matching: .order)
        let id = try #require(loaded.value(named: "fc.weight"))
        let origin = try #require(source.value(named: "other_fc.weight"))
        let expected = source.initializers[origin]?.elements(as: Float.self)
        #expect(loaded.initializers[id]?.elements(as: Float.self) == expected)
        #expect(message { try network().loadingWeights(from: source) }.contains("no weight of this name"))
    }

    @Test("the weight of a linear layer is turned when the other network holds it the other way round")
    func turned() throws {
        var source = try network().seeded(3)
        let position = try #require(source.nodes.firstIndex { $0.operatorName == "Gemm" })
        let id = try #require(source.nodes[position].inputs[1])
        let weight = try #require(source.initializers[id])
        source.nodes[position].operation = Gemm()
        source.initializers[id] = try weight.transposed([1, 0])
        let loaded = try network().loadingWeights(from: source, matching: .order)
        #expect(loaded.initializers[id]?.elements(as: Float.self) == weight.elements(as: Float.self))
    }

    @Test("errors name the weight and both shapes")
    func errors() throws {
        let source = try network(features: 4).seeded(3)
        let byName = message { try network().loadingWeights(from: source) }
        #expect(byName == "value \"fc.weight\": has shape [3, 20], but the weight given has shape [4, 20]")
        let byOrder = message { try network("x_").loadingWeights(from: source, matching: .order) }
        #expect(byOrder == "value \"x_fc.weight\": has shape [3, 20], but the weight \"fc.weight\" has shape [4, 20]")
        let squeeze = try Networks.squeezeNet1_1()
        #expect(message { try squeeze.loadingWeights(from: source, matching: .order) }.contains("26 layers Conv"))
        let integers = try Tensor([Int32](repeating: 0, count: 5), shape: [5])
        let halves = try Tensor(zeros: .float16, shape: [5, 2, 3, 3])
        let text = message { try network().loadingWeights(["conv.weight": halves, "conv.bias": integers]) }
        #expect(text == "value \"conv.bias\": is float32, but the weight given is int32")
    }

    @Test("a seed gives the same weights every time, with the variance that keeps values alive")
    func seeded() throws {
        let first = try Networks.squeezeNet1_1().seeded(7)
        let second = try Networks.squeezeNet1_1().seeded(7)
        let other = try Networks.squeezeNet1_1().seeded(8)
        #expect(first.missingWeights.isEmpty)
        let id = try #require(first.value(named: "fire9/expand3x3.weight"))
        let values = try #require(first.initializers[id]).elements(as: Float.self)
        #expect(values == second.initializers[id]?.elements(as: Float.self))
        #expect(values != other.initializers[id]?.elements(as: Float.self))
        let variance = values.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(values.count)
        #expect(abs(variance - 2.0 / 576) < 0.05 * 2.0 / 576)
        let bias = try #require(first.value(named: "conv10.bias"))
        #expect(first.initializers[bias]?.elements(as: Float.self).allSatisfy { $0 == 0 } == true)
        var numbers = SplitMix64(seed: 1_234_567)
        #expect(numbers.next() == 6_457_827_717_110_365_317)
    }
}
