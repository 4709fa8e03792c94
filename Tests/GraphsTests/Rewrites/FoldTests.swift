import Graphs
import Tensors
import Testing

@Suite("Rewrites that fold into weights")
struct FoldTests {
    private func perChannel(_ net: GraphBuilder, _ name: String, _ shape: [Int] = [4, 1, 1]) -> GraphBuilder.Value {
        net.constant(name, (try? Tensor.random(shape, seed: name)) ?? net.never)
    }

    @Test("batch normalisation folds into a convolution, grouped or not, with or without a bias")
    func normalization() throws {
        let result = try rewritten(with: [FoldBatchNormalization()]) { net, image in
            net.output("a", image.convolution(6, kernel: 3, groups: 2).batchNormalization(epsilon: 0.01))
            net.output("b", image.convolution(6, kernel: 1, bias: false).batchNormalization().relu())
            net.output("c", image.depthwiseConvolution(kernel: 3, padding: .same).batchNormalization())
        }
        #expect(result.graph.operatorNames == ["Conv", "Conv", "Relu", "Conv"])
        #expect(result.changes.first == "batchNormalization1: folded into \"convolution1\"")
        #expect(result.graph.initializers.count == 6)
    }

    @Test("batch normalisation stays when something else needs the convolution's result")
    func sharedConvolution() throws {
        let result = try rewritten(with: [FoldBatchNormalization()]) { net, image in
            let shared = image.convolution(6, kernel: 3)
            net.output("a", shared.batchNormalization())
            net.output("b", shared.relu())
            let output = image.convolution(2, kernel: 1)
            net.output("c", output)
            net.output("d", output.batchNormalization())
            net.output("e", image.batchNormalization())
        }
        #expect(result.changes.isEmpty)
    }

    @Test("an activation fused into a normalisation moves with it, and nothing after it folds past it")
    func activatedNormalization() throws {
        let moved = try rewritten(with: [FuseActivation(), FoldBatchNormalization()]) { net, image in
            net.output("a", image.convolution(4, kernel: 3).batchNormalization().relu())
        }
        #expect(moved.graph.operatorNames == ["Conv"])
        let kept = try rewritten(with: [FuseActivation(), FoldScaleAndShift()]) { net, image in
            net.output("a", image.batchNormalization().relu() * perChannel(net, "scale"))
        }
        #expect(kept.graph.operatorNames == ["BatchNormalization", "Mul"])
    }

    @Test("a weight that two convolutions read is folded into a copy")
    func sharedWeight() throws {
        var graph = try Graph.build("shared") { net in
            let image = net.input("image", .float32, [.batch, 4, 6, 6])
            net.output("a", image.convolution(4, kernel: 1).batchNormalization())
            net.output("b", image.convolution(4, kernel: 1))
        }.randomized()
        graph.nodes[2].inputs[1] = graph.nodes[0].inputs[1]
        let inputs = try graph.randomInputs(batch: 1)
        let result = try Rewrites.declutter(graph).graph
        #expect(result.operatorNames == ["Conv", "Conv"])
        let (before, after) = (try graph.evaluated(inputs), try result.evaluated(inputs))
        for name in ["a", "b"] {
            let pairs = zip(before[name] ?? [], after[name] ?? [])
            #expect(pairs.allSatisfy { abs($0 - $1) < 1e-5 * max(1, abs($0)) })
        }
    }

    @Test("weights that are not loaded yet, or computed, are left alone")
    func unknownWeights() throws {
        let graph = try Graph.build("unloaded") { net in
            let image = net.input("image", .float32, [.batch, 4, 6, 6])
            net.output("a", image.convolution(4, kernel: 1).batchNormalization())
            let kernel = net.input("kernel", .float32, [4, 4, 1, 1])
            net.output("b", net.apply(Conv(), [image, kernel]).batchNormalization())
        }
        let result = try Rewrites.declutter(graph)
        #expect(result.graph.operatorNames == ["Conv", "BatchNormalization", "Conv", "BatchNormalization"])
        #expect(result.graph.missingWeights.count == graph.missingWeights.count)
    }

    @Test("numbers that overflow or divide by nothing are not folded")
    func overflow() throws {
        var graph = try Graph.build("overflow") { net in
            let image = net.input("image", .float32, [.batch, 4, 6, 6])
            net.output("a", image.convolution(4, kernel: 1).batchNormalization(epsilon: 0))
        }.randomized()
        let variance = try #require(graph.nodes[1].inputs[4])
        graph.initializers[variance] = try Tensor(zeros: .float32, shape: [4])
        #expect(try Rewrites.declutter(graph).graph.operatorNames == ["Conv", "BatchNormalization"])
    }

    @Test("scales and shifts of channels fold into a convolution")
    func scaleAndShift() throws {
        let result = try rewritten(with: [FoldScaleAndShift()]) { net, image in
            let scaled = image.convolution(4, kernel: 3) * perChannel(net, "scale")
            let shifted = perChannel(net, "shift", [1, 4, 1, 1]) + scaled
            let less = net.apply(Sub(), [shifted, perChannel(net, "less", [])])
            let from = net.apply(Sub(), [perChannel(net, "from", [1]), less])
            net.output("out", net.apply(Div(), [from, perChannel(net, "divisor")]).relu())
        }
        #expect(result.graph.operatorNames == ["Conv", "Relu"])
        #expect(result.changes.count == 5)
    }

    @Test("normalisation, unsqueezed scale and shift become one convolution, as in Caffe's networks")
    func caffe() throws {
        let result = try rewritten(with: Rewrites.all) { net, image in
            func layer(_ value: GraphBuilder.Value, _ name: String) -> GraphBuilder.Value {
                let scale = net.apply(Unsqueeze(axes: [1, 2]), [perChannel(net, "\(name)_scale", [4])])
                let shift = net.apply(Unsqueeze(axes: [1, 2]), [perChannel(net, "\(name)_shift", [4])])
                return value.batchNormalization() * scale + shift
            }
            let first = layer(image.convolution(4, kernel: 3, padding: .same, bias: false), "first").relu()
            net.output("out", layer(first.maxPool(2), "second").relu().convolution(2, kernel: 1))
        }
        #expect(result.graph.operatorNames == ["Conv", "MaxPool", "BatchNormalization", "Conv"])
    }

    @Test("what is not one number for each channel is not folded")
    func otherShapes() throws {
        let result = try rewritten(with: [FoldScaleAndShift(), FuseBias()]) { net, image in
            func layer() -> GraphBuilder.Value { image.convolution(4, kernel: 1) }
            net.output("a", layer() * perChannel(net, "row", [6]))
            net.output("b", layer() + perChannel(net, "whole", [4, 6, 6]))
            net.output("c", layer() + perChannel(net, "rank", [1, 1, 4, 1, 1]))
            net.output("d", layer() * image.relu())
            net.output("e", net.apply(Div(), [perChannel(net, "numerator"), layer()]))
            let one = image.convolution(1, kernel: 1)
            net.output("f", one + perChannel(net, "grown", [4, 1, 1]))
        }
        #expect(result.changes.isEmpty)
    }

    @Test("nodes with constant inputs are evaluated, within the limit")
    func constants() throws {
        let result = try rewritten(with: [ConstantFolding()]) { net, image in
            let sum = perChannel(net, "a") + perChannel(net, "b")
            net.output("out", image * sum.relu())
            net.output("constant", perChannel(net, "c").relu())
        }
        #expect(result.graph.operatorNames == ["Mul", "Relu"])
        #expect(result.changes == ["add1: evaluated to float32[4, 1, 1]", "relu1: evaluated to float32[4, 1, 1]"])
        let limited = try rewritten(with: [ConstantFolding(byteLimit: 15)]) { net, image in
            net.output("out", image * perChannel(net, "a").relu())
        }
        #expect(limited.changes.isEmpty)
    }

    @Test("what cannot be evaluated is left for the run to report")
    func failingConstants() throws {
        var graph = try Graph.build("failing") { net in
            let image = net.input("image", .float32, [.batch, 4, 6, 6])
            net.output("out", image + (perChannel(net, "a") + perChannel(net, "b")))
        }
        let id = try #require(graph.value(named: "b"))
        graph.initializers[id] = try Tensor.random([3, 1, 1])
        #expect(try Rewrites.declutter(graph).graph.operatorNames == ["Add", "Add"])
    }

    @Test("what takes more operations than weights account for is refused, not begun")
    func boundedConstants() throws {
        let graph = try Graph.build("work") { net in
            let square = perChannel(net, "square", [1024, 1024])
            let row = net.input("row", .float32, [.batch, 1024])
            net.output("out", net.apply(MatMul(), [row, net.apply(MatMul(), [square, square])]))
        }
        let error = #expect(throws: GraphError.self) { try Rewrites.declutter(graph) }
        #expect(error?.isUnsupported == true)
        #expect(error?.description.contains("(MatMul): not supported: constants whose computation") == true)
    }

    @Test("a scaled and shifted row folds into the product after it, whose bias stays")
    func scaledRows() throws {
        let result = try rewritten(with: [FuseProductBias(), FoldIntoNextProduct(), DropDeadNodes()]) { net, image in
            let given = tokens(net, image)
            let rows = array(net, "shift", [4]) + given.relu() * array(net, "scale", [1, 1, 4])
            let divided = net.apply(Div(), [rows, array(net, "divisor", [1])])
            let product = net.apply(MatMul(), [divided, array(net, "weights", [4, 8])])
            net.output("a", product + array(net, "bias", [8]))
            net.output("b", net.apply(MatMul(), [given - array(net, "c", [4]), array(net, "w", [4, 3])]))
        }
        #expect(result.graph.operatorNames == ["Reshape", "Transpose", "Relu", "MatMul", "MatMul"])
        #expect(result.changes.count == 5)
    }

    @Test("a sum that broadcasts its rows, or that something else reads, stays")
    func otherRows() throws {
        let result = try rewritten(with: [FoldIntoNextProduct()]) { net, image in
            let given = tokens(net, image)
            let shifted = given + array(net, "shift", [4])
            net.output("a", net.apply(MatMul(), [shifted, array(net, "weights", [4, 8])]))
            net.output("b", shifted.relu())
            let column = given * array(net, "column", [36, 1])
            net.output("c", net.apply(MatMul(), [column, array(net, "w", [4, 3])]))
        }
        #expect(result.changes.isEmpty)
    }
}

extension GraphBuilder {
    /// A placeholder in expressions where making a small tensor cannot fail.
    var never: Tensor { preconditionFailure("no memory for a small tensor") }
}
