import Graphs
import Tensors
import Testing

@Suite("Graph builder")
struct GraphBuilderTests {
    static func tinyFire() throws(GraphError) -> Graph {
        try Graph.build("tiny-fire") { net in
            let image = net.input("image", .float32, [.batch, 3, 64, 64])
            let features =
                image
                .convolution(32, kernel: 3, stride: 2).relu()
                .maxPool(3, stride: 2)
                .fire(squeeze: 16, expand: 64)
                .residual { $0.convolution(128, kernel: 3, padding: .same).relu() }
                .branches(
                    { $0.convolution(64, kernel: 1) },
                    { $0.convolution(48, kernel: 1).relu().convolution(64, kernel: 5, padding: .same) },
                    { $0.averagePool(3, padding: .same).convolution(32, kernel: 1) })
            net.output("probabilities", features.globalAveragePool().flatten().linear(10).softmax())
        }
    }

    @Test("a network reads like the plan and knows its shapes and names")
    func tinyNetwork() throws {
        let graph = try Self.tinyFire()
        let names = graph.nodes.map(\.name)
        #expect(names.first == "convolution1")
        #expect(names.contains("fire1/squeeze1x1"))
        #expect(names.contains("residual1/add"))
        #expect(names.contains("branches1/branch2/convolution2"))
        #expect(names.contains("branches1/concat"))
        func shape(_ name: String) -> String? { graph.value(named: name).flatMap { graph[$0].shape?.description } }
        #expect(shape("convolution1") == "[N, 32, 31, 31]")
        #expect(shape("fire1/concat") == "[N, 128, 15, 15]")
        #expect(shape("branches1/concat") == "[N, 160, 15, 15]")
        #expect(shape("probabilities") == "[N, 10]")
        #expect(shape("fire1/expand3x3.weight") == "[64, 16, 3, 3]")
        #expect(graph.missingWeights.count == 20)
        #expect(graph.description.contains("output probabilities: float32[N, 10]"))
    }

    @Test("names are made from methods and numbers, and can be given")
    func names() throws {
        let graph = try Graph.build("names") { net in
            let image = net.input("image", .float32, [.batch, 4, 8, 8])
            let first = image.convolution(4, kernel: 1).named("conv1").relu()
            let second = first.convolution(4, kernel: 1).fire(squeeze: 2, expand: 2).named("fire9")
            let third = second.block("stem") { $0.convolution(4, kernel: 1).named("inner").relu() }.named("stage")
            net.output("out", third.relu())
        }
        #expect(
            graph.nodes.map(\.name) == [
                "conv1", "relu1", "convolution2", "fire9/squeeze1x1", "fire9/relu1", "fire9/expand1x1", "fire9/relu2",
                "fire9/expand3x3", "fire9/relu3", "fire9/concat", "stage/inner", "stage/relu1", "relu2",
            ])
        #expect(graph.value(named: "conv1.weight") != nil)
        #expect(graph.value(named: "fire9/squeeze1x1.bias") != nil)
        #expect(graph.value(named: "stage/inner.weight") != nil)
        #expect(Set(graph.values.map(\.name)).count == graph.values.count)
    }

    @Test("extents that are multiples of the batch are symbols too")
    func batchMultiples() throws {
        let graph = try Graph.build("multiples") { net in
            let image = net.input("image", .float32, [.batch, 4, 8, 8])
            net.output("rows", image.reshape([-1, 64]))
            net.output("same", image)
        }
        let rows = try #require(graph.value(named: "rows"))
        #expect(graph[rows].shape?.description == "[4N, 64]")
        #expect(graph.outputs.map { graph[$0].name } == ["rows", "same"])
        #expect(graph.nodes.map(\.operatorName) == ["Reshape", "Identity"])
    }

    @Test("kernels may differ in height and width; padding may be given for every side")
    func windows() throws {
        let graph = try Graph.build("windows") { net in
            let image = net.input("image", .float32, [1, 3, 17, 17])
            let result = image.convolution(
                8, kernel: .of(height: 1, width: 7), padding: .explicit(vertical: 0, horizontal: 3))
            net.output("a", result)
            let sides = Padding.explicit(top: 0, left: 1, bottom: 1, right: 0)
            net.output("b", image.maxPool(2, stride: .of(height: 2, width: 1), padding: sides))
            net.output("c", image.depthwiseConvolution(kernel: 3, padding: .same, multiplier: 2, bias: false))
        }
        #expect(graph.outputs.map { graph[$0].shape?.fixed } == [[1, 8, 17, 17], [1, 3, 9, 17], [1, 6, 17, 17]])
    }

    @Test("blocks: inception, separable convolution and inverted residual")
    func blocks() throws {
        let graph = try Graph.build("blocks") { net in
            let image = net.input("image", .float32, [.batch, 192, 28, 28])
            let result = image.inception(
                pointwise: 64, reduce3x3: 96, wide3x3: 128, reduce5x5: 16, wide5x5: 32, pooled: 32
            )
            .named("inception_3a").separableConvolution(32, stride: 2).invertedResidual(32, expansion: 6)
            net.output("out", result.invertedResidual(64, expansion: 2, stride: 2))
        }
        func shape(_ name: String) -> String? { graph.value(named: name).flatMap { graph[$0].shape?.description } }
        #expect(shape("inception_3a/concat") == "[N, 256, 28, 28]")
        #expect(shape("invertedResidual1/add") == "[N, 32, 14, 14]")
        #expect(shape("out") == "[N, 64, 7, 7]")
        #expect(shape("separableConvolution1/batchNormalization1.mean") == "[256]")
    }
}
