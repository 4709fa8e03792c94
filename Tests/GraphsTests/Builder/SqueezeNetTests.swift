import Graphs
import Tensors
import Testing

@Suite("SqueezeNet 1.1")
struct SqueezeNetTests {
    private func multiplyAdds(extent: Int) throws -> Int {
        let graph = try Networks.squeezeNet1_1(extent: extent)
        return try graph.costs(inputShapes: [[1, 3, extent, extent]]).reduce(0) { $0 + $1.multiplyAdds }
    }

    @Test("is what the trained network's file says, node by node")
    func structure() throws {
        let graph = try Networks.squeezeNet1_1()
        let expected = squeezeNetStructure.split(separator: "\n").map(String.init)
        #expect(graph.structure == expected)
        #expect(graph.inputs.map { graph[$0].name } == ["data"])
        #expect(graph.outputs.map { graph[$0].name } == ["prob"])
    }

    @Test("has the number of weights and of multiply-adds that are known of it")
    func size() throws {
        #expect(try Networks.squeezeNet1_1().parameterCount == 1_235_496)
        #expect(try multiplyAdds(extent: 227) == 352_932_608)
        #expect(try multiplyAdds(extent: 224) == 349_537_280)
    }

    @Test("is found in the zoo by its name")
    func zoo() throws {
        let entry = try #require(Networks.find("squeezenet1_1"))
        #expect(try entry.build().hasSameStructure(as: Networks.squeezeNet1_1()))
        #expect(Networks.find("squeezenet9") == nil)
        #expect(Networks.all.map(\.name) == Networks.all.map(\.name).sorted())
    }

    @Test("layers have the names of the paper")
    func names() throws {
        let names = Set(try Networks.squeezeNet1_1().values.map(\.name))
        let expected = ["conv1.weight", "fire2/squeeze1x1.weight", "fire9/expand3x3.bias", "conv10.bias"]
        #expect(names.isSuperset(of: expected))
    }

    @Test("an image too small for the layers is an error that names the layer")
    func tooSmall() {
        #expect(throws: GraphError.self) { try Networks.squeezeNet1_1(extent: 8) }
    }
}
