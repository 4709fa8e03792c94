import Graphs
import Tensors
import Testing

@Suite("Layers of the graph builder")
struct GraphBuilderLayerTests {
    private func shape(_ graph: Graph, _ name: String) -> String? {
        graph.value(named: name).flatMap { graph[$0].shape?.description }
    }

    private func message(_ describe: (GraphBuilder) -> Void) -> String {
        do {
            _ = try Graph.build("network", describe)
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test("Values are split, sliced and selected; parts have the layer's name and a number")
    func parts() throws {
        let graph = try Graph.build("parts") { net in
            let tokens = net.input("tokens", .float32, [.batch, 5, 12])
            let parts = tokens.split([4, 8], axis: 2).map { $0.relu() }
            net.output("left", parts[0])
            net.output("right", parts[1])
            net.output("slice", tokens.slice(1..<5, axis: 1))
            net.output("first", tokens.select(0, axis: 1))
        }
        #expect(shape(graph, "split1.1") == "[N, 5, 4]")
        #expect(shape(graph, "split1.2") == "[N, 5, 8]")
        #expect(shape(graph, "slice") == "[N, 4, 12]")
        #expect(shape(graph, "first") == "[N, 12]")
        let wrong = message { $0.output("y", $0.input("x", .float32, [1, 6]).split([2, 3])[0]) }
        #expect(wrong.contains("split1"))
    }

    @Test("Rows have fully connected layers and normalisations, with weights of their own")
    func rows() throws {
        let graph = try Graph.build("rows") { net in
            let tokens = net.input("tokens", .float32, [.batch, 5, 12])
            let positions = net.weight("positions", [1, 5, 12])
            let result = tokens.added(to: positions).layerNormalization().named("norm").linear(7).named("fc").gelu()
            net.output("y", result.linear(3, bias: false).named("head"))
        }
        #expect(shape(graph, "fc/product.weight") == "[12, 7]")
        #expect(shape(graph, "fc/sum.bias") == "[7]")
        #expect(shape(graph, "head/product.weight") == "[7, 3]")
        #expect(shape(graph, "norm.scale") == "[12]")
        #expect(graph.parameterCount == 60 + 24 + 84 + 7 + 21)
        let seeded = try graph.seeded(3)
        let scale = try #require(seeded.value(named: "norm.scale").flatMap { seeded.initializers[$0] })
        #expect(scale.elements(as: Float.self).allSatisfy { $0 == 1 })
        #expect(message { $0.output("y", $0.weight("w", [-1])) }.contains("w"))
    }

    @Test("Images are enlarged by transposed convolutions and resized")
    func images() throws {
        let graph = try Graph.build("images") { net in
            let image = net.input("image", .float32, [.batch, 6, 9, 8])
            net.output("large", image.transposedConvolution(4, kernel: 3, stride: 2, padding: .explicit(1)).named("up"))
            net.output("resized", image.resize(height: 20, width: 5))
        }
        #expect(shape(graph, "large") == "[N, 4, 17, 15]")
        #expect(shape(graph, "up.weight") == "[6, 4, 3, 3]")
        #expect(shape(graph, "resized") == "[N, 6, 20, 5]")
        #expect(
            message { $0.output("y", $0.input("x", .float32, [1, 6]).resize(height: 2, width: 2)) }.contains("resize1"))
    }

    @Test("A number that scales a value is no parameter")
    func factors() throws {
        let mean = try Tensor([Float(1)], shape: [1])
        let graph = try Graph.build("factors") { net in
            let image = net.input("image", .float32, [.batch, 2, 4, 4])
            net.output("y", image.convolution(3, kernel: 1).multiplied(by: 0.5) - net.constant("mean", mean))
        }
        #expect(graph.parameterCount == 9 + 1)
    }

    @Test("Attention is computed by heads, and becomes one node")
    func attention() throws {
        let graph = try Graph.build("attention") { net in
            let tokens = net.input("tokens", .float32, [.batch, 5, 12])
            net.output("y", tokens.transformerEncoder(heads: 3, hidden: 24).named("encoder"))
        }
        #expect(graph.parameterCount == 12 * 36 + 36 + 12 * 12 + 12 + 2 * 12 * 24 + 36 + 4 * 12)
        let fused = try Rewrites.declutter(graph.seeded(1)).graph
        #expect(fused.nodes.count { $0.operation is ScaledDotProductAttention } == 1)
        let text = message { $0.output("y", $0.input("x", .float32, [1, 5, 12]).attention(heads: 5)) }
        #expect(text.contains("divisible by 5"))
    }

    @Test("The attention of the zoo's transformers becomes one node in each layer", arguments: ["vit_ti_16", "swin_t"])
    func fused(_ name: String) throws {
        let graph = try Rewrites.declutter(#require(Networks.find(name)).build().seeded(1)).graph
        #expect(graph.nodes.count { $0.operation is ScaledDotProductAttention } == 12)
    }

    @Test("An excitation multiplies channels; a pyramid keeps the extents")
    func blocks() throws {
        let graph = try Graph.build("blocks") { net in
            let image = net.input("image", .float32, [.batch, 8, 10, 12])
            let result = image.squeezeExcitation(2).named("excitation").pyramidPooling(6, rates: [2, 3]).named(
                "pyramid")
            net.output("y", result.dense(4, layers: 3).convNeXt())
        }
        #expect(shape(graph, "excitation/squeeze.weight") == "[2, 8, 1, 1]")
        #expect(shape(graph, "pyramid/project/convolution.weight") == "[6, 24, 1, 1]")
        #expect(shape(graph, "y") == "[N, 18, 10, 12]")
    }
}
