import Graphs
import Tensors
import Testing

@Suite("Rewrites that fuse into the operator before")
struct FuseTests {
    @Test("an added constant becomes the bias of a convolution, a Gemm or a MatMul")
    func bias() throws {
        let result = try rewritten(with: [FuseBias()]) { net, image in
            net.output("a", image.convolution(4, kernel: 3, bias: false) + array(net, "channels", [4, 1, 1]))
            net.output("b", array(net, "row", [1, 5]) + image.flatten().linear(5, bias: false))
            let product = net.apply(MatMul(), [image.flatten(), array(net, "matrix", [144, 3])])
            net.output("c", product + array(net, "sum", [3]))
            net.output("d", image.convolution(4, kernel: 1, bias: false) + array(net, "one", []))
        }
        #expect(result.graph.operatorNames == ["Conv", "Flatten", "Gemm", "Flatten", "Gemm", "Conv"])
        #expect(result.changes.count == 4)
    }

    @Test("an addition stays where there is a bias, another reader, or a stack of matrices")
    func noBias() throws {
        let result = try rewritten(with: [FuseBias()]) { net, image in
            net.output("a", image.convolution(4, kernel: 3) + array(net, "channels", [4, 1, 1]))
            let shared = image.convolution(4, kernel: 3, bias: false)
            net.output("b", shared + array(net, "channels2", [4, 1, 1]))
            net.output("c", shared.relu())
            net.output("d", net.apply(MatMul(), [image, array(net, "matrix", [6, 3])]) + array(net, "sum", [3]))
            net.output("e", image.flatten().linear(1, bias: false) + array(net, "wider", [4]))
        }
        #expect(result.changes.isEmpty)
    }

    @Test("the later of two convolutions adds the other's result, and the activation follows")
    func addend() throws {
        let result = try rewritten(with: [FuseAddend(), FuseActivation()]) { net, image in
            let shortcut = image.convolution(4, kernel: 1)
            net.output("a", (image.convolution(4, kernel: 3, padding: .same, bias: false) + shortcut).relu())
            net.output("b", image + image.convolution(4, kernel: 1))
        }
        #expect(result.graph.operatorNames == ["Conv", "Conv", "Conv"])
        let last = result.graph.nodes[1]
        #expect(last.fusedOperatorName == "Conv + Add + Relu")
        #expect(last.inputs.count == 4 && last.inputs[2] == nil && last.inputs[3] == result.graph.nodes[0].outputs[0])
        #expect(result.graph.nodes[2].inputs[3] == result.graph.inputs[0])
        #expect(result.graph.text(of: last).contains("then Relu"))
    }

    @Test("a convolution moves behind what it adds")
    func laterAddend() throws {
        let result = try rewritten(with: [FuseAddend(), FuseActivation()]) { net, image in
            let first = image.convolution(4, kernel: 1)
            net.output("a", first + image.sigmoid())
        }
        #expect(result.graph.operatorNames == ["Sigmoid", "Conv"])
    }

    @Test("an addition stays where something is broadcast, shared, given, activated or added already")
    func noAddend() throws {
        let result = try rewritten(with: [FuseAddend()]) { net, image in
            net.output("a", image.convolution(4, kernel: 1) + image.globalAveragePool())
            let shared = image.convolution(4, kernel: 1)
            net.output("b", shared + image)
            net.output("c", shared.sigmoid())
            let given = image.convolution(4, kernel: 1)
            net.output("d", given)
            net.output("e", given + image)
            net.output("f", image.convolution(4, kernel: 1).relu() + image)
            let twice = image.convolution(4, kernel: 1)
            net.output("g", twice + twice)
        }
        #expect(result.changes.isEmpty)
        let again = try rewritten(with: [FuseAddend()]) { net, image in
            net.output("a", image.convolution(4, kernel: 1) + image + image.sigmoid())
        }
        #expect(again.graph.operatorNames == ["Conv", "Sigmoid", "Add"])
    }

    @Test("nothing folds into a convolution past its addend")
    func foldsNothingPastAddend() throws {
        let result = try rewritten(with: [FuseAddend(), FoldScaleAndShift(), FoldBatchNormalization(), FuseBias()]) {
            net, image in
            net.output("a", (image.convolution(4, kernel: 1) + image).batchNormalization())
            net.output("b", (image.convolution(4, kernel: 1, bias: false) + image) + array(net, "shift", [4, 1, 1]))
        }
        #expect(result.graph.operatorNames == ["Conv", "BatchNormalization", "Conv", "Add"])
    }

    @Test("activations fuse into convolutions, Gemm and Add")
    func activation() throws {
        let result = try rewritten(with: [FuseActivation()]) { net, image in
            let first = image.convolution(4, kernel: 3, padding: .same).relu()
            let second = image.convolution(4, kernel: 3, padding: .same).relu6()
            let third = (first + second).leakyRelu(slope: 0.2)
            net.output("a", third)
            let bounds = [try? Tensor([Float(-1)], shape: [1]), try? Tensor([Float(1)], shape: [])].compactMap { $0 }
            net.output("b", net.apply(Clip(), [image.flatten().linear(3)], bounds))
        }
        #expect(result.graph.operatorNames == ["Conv", "Conv", "Add", "Flatten", "Gemm"])
        let fused = result.graph.nodes.compactMap { ($0.operation as? any ActivationFusing)?.activation }
        #expect(fused == [.relu, .clip(low: 0, high: 6), .leakyRelu(slope: 0.2), .clip(low: -1, high: 1)])
    }

    @Test("activations stay behind shared values, outputs, other activations, and with bounds that change")
    func noActivation() throws {
        let result = try rewritten(with: [FuseActivation()]) { net, image in
            let shared = image.convolution(4, kernel: 1)
            net.output("a", shared.relu())
            net.output("b", shared.sigmoid())
            let given = image.convolution(4, kernel: 1)
            net.output("c", given)
            net.output("d", given.relu())
            let bound = net.input("bound", .float32, [])
            net.output("e", net.apply(Clip(), [image.convolution(4, kernel: 1), bound]))
            net.output("f", image.maxPool(2).relu())
        }
        #expect(result.changes.isEmpty)
        let twice = try rewritten(with: [FuseActivation()]) { net, image in
            net.output("out", image.convolution(4, kernel: 1).leakyRelu().relu())
        }
        #expect(twice.graph.operatorNames == ["Conv", "Relu"])
    }

    @Test("integers have no activation")
    func integers() throws {
        let graph = try Graph.build("integers") { net in
            let counts = net.input("counts", .int32, [.batch, 4])
            net.output("out", net.apply(Clip(), [counts + counts]))
        }
        #expect(try Rewrites.declutter(graph).graph.operatorNames == ["Add", "Clip"])
    }

    @Test("zeros around the edges merge into convolutions and average poolings")
    func pad() throws {
        let result = try rewritten(with: [MergePad()]) { net, image in
            func padded(_ pads: [Int]) -> GraphBuilder.Value { net.apply(Pad(pads: pads), [image]) }
            net.output("a", padded([0, 0, 1, 2, 0, 0, 0, 1]).convolution(3, kernel: 3, padding: .explicit(1)))
            net.output("b", padded([0, 0, 1, 1, 0, 0, 1, 1]).averagePool(3, stride: 2))
            net.output(
                "c", padded([0, 0, 1, 1, 0, 0, 1, 1]).averagePool(4, padding: .explicit(1), countingPadding: true))
        }
        #expect(result.graph.operatorNames == ["Conv", "AveragePool", "AveragePool"])
        let window = (result.graph.nodes[0].operation as? Conv)?.window
        #expect(window?.pads == [2, 3, 1, 2])
    }

    @Test("padding stays where it would compute something else")
    func noPad() throws {
        let result = try rewritten(with: [MergePad()]) { net, image in
            func padded(_ pad: Pad = Pad(pads: [0, 0, 1, 1, 0, 0, 1, 1])) -> GraphBuilder.Value {
                net.apply(pad, [image])
            }
            net.output("a", padded().maxPool(3))
            net.output("b", padded().averagePool(3, padding: .explicit(1)))
            net.output("c", padded(Pad(pads: [0, 0, 1, 1, 0, 0, 1, 1], value: 1)).convolution(3, kernel: 3))
            net.output("d", padded(Pad(mode: .edge, pads: [0, 0, 1, 1, 0, 0, 1, 1])).convolution(3, kernel: 3))
            net.output("e", padded(Pad(pads: [0, 1, 0, 0, 0, 0, 0, 0])).convolution(3, kernel: 3))
            net.output("f", padded(Pad(pads: [0, 0, -1, 0, 0, 0, 0, 0])).convolution(3, kernel: 3))
            net.output("g", padded().convolution(3, kernel: 3, padding: .same))
            let shared = padded()
            net.output("h", shared.convolution(3, kernel: 3))
            net.output("i", shared.relu())
            net.output("j", padded(Pad(pads: [0, 0, 2, 2, 0, 0, 2, 2])).averagePool(2))
            net.output("k", padded().averagePool(3, stride: 2, ceilMode: true))
        }
        #expect(result.changes.isEmpty)
    }
}
