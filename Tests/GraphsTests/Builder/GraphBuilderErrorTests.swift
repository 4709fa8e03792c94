import Graphs
import Tensors
import Testing

@Suite("Graph builder errors")
struct GraphBuilderErrorTests {
    private func message(_ describe: (GraphBuilder, GraphBuilder.Value) -> Void) -> String {
        do {
            _ = try Graph.build("broken") { net in describe(net, net.input("image", .float32, [.batch, 6, 8, 8])) }
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test("the first error is thrown, under the layer's given name, with both shapes")
    func firstError() {
        let text = message { net, image in
            let left = image.convolution(4, kernel: 3)
            let right = image.convolution(4, kernel: 1)
            let joined = image.block("fire") { _ in left.concat(with: right).named("concat") }.named("fire2")
            net.output("out", joined.relu().linear(3).maxPool(0))
        }
        #expect(text.hasPrefix("node \"fire2/concat\" (Concat): "), "\(text)")
        #expect(text.contains("6") && text.contains("8"), "\(text)")
    }

    @Test(
        "layers refuse what does not fit",
        arguments: [
            ("stride", "node \"convolution1\" (Conv): attribute \"strides\" is [0, 0]"),
            ("groups", "node \"convolution1\" (Conv): cannot make 8 channels from 6 in 4 groups"),
            ("kernel", "node \"convolution1\" (Conv): the kernel reaches over 9"),
            ("list", "node \"linear1\" (Gemm): takes a list [N, F]; the input is [N]"),
            ("residual", "node \"residual1/add\" (Add): the block gives [N, 4, 8, 8], but its shortcut [N, 6, 8, 8]"),
            ("channels", "node \"convolution1\" (Conv): cannot make 9223372036854775807 channels"),
            ("depthwise", "node \"depthwiseConvolution1\" (Conv): cannot make -1 channels"),
            ("pool", "node \"maxPool1\" (MaxPool): attribute \"kernel_shape\" is [-3, -3]"),
            ("transpose", "node \"transpose1\" (Transpose): "),
            ("reshape", "node \"reshape1\" (Reshape): "),
            ("concat", "node \"concat1\" (Concat): "),
            ("nothing", "value \"broken\": the network has no output"),
            ("output", "value \"image\": cannot be an output: the name is taken"),
            ("empty", "value \"relu1\": cannot have an empty name"),
            ("name", "value \"relu1\": the name is taken; \"relu2\" cannot have it"),
            ("symbol", "input \"second\": the shape [M, 2] may only name the batch size, at its front"),
            ("extent", "input \"second\": shape [-2] has a negative dimension"),
        ])
    func refusals(kind: String, expected: String) {
        let text = message { net, image in
            switch kind {
            case "stride": net.output("out", image.convolution(4, kernel: 3, stride: 0))
            case "groups": net.output("out", image.convolution(8, kernel: 1, groups: 4))
            case "kernel": net.output("out", image.convolution(8, kernel: 9))
            case "list": net.output("out", net.input("vector", .float32, [.batch]).linear(10))
            case "residual": net.output("out", image.residual { $0.convolution(4, kernel: 1) })
            case "channels": net.output("out", image.convolution(.max, kernel: 1, groups: 2))
            case "depthwise": net.output("out", image.depthwiseConvolution(kernel: 3, multiplier: .max))
            case "pool": net.output("out", image.maxPool(-3))
            case "transpose": net.output("out", image.transpose([0, 1, 1, 7]))
            case "reshape": net.output("out", image.reshape([7, -1, -1]))
            case "concat": net.output("out", net.concat([]))
            case "output": net.output("image", image.relu())
            case "empty": net.output("out", image.relu().named(""))
            case "name": net.output("out", image.relu().relu().named("relu1"))
            case "symbol": net.output("out", net.input("second", .float32, [.symbol("M"), 2]))
            case "extent": net.output("out", net.input("second", .float32, [-2]))
            default: break
            }
        }
        #expect(text.hasPrefix(expected), "\(text)")
    }

    @Test("a value of another network is refused")
    func strangers() throws {
        var stranger: GraphBuilder.Value?
        _ = try Graph.build("first") { net in
            let image = net.input("image", .float32, [1, 2])
            stranger = image
            net.output("out", image.relu())
        }
        let value = try #require(stranger)
        let text = message { net, image in net.output("out", image + value) }
        #expect(text == "value \"image\": belongs to another network")
    }

    @Test("huge weights are refused, not allocated")
    func hugeWeights() {
        let text = message { net, image in
            net.output("out", image.convolution(1 << 62, kernel: 1).globalAveragePool())
        }
        #expect(text.contains("convolution1") && text.contains("more elements than can be addressed"), "\(text)")
    }
}
