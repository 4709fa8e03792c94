import Graphs
import Tensors
import Testing

@Suite("Rewrites that recognise what exporters take apart")
struct TransformerTests {
    typealias Value = GraphBuilder.Value

    private func number(_ net: GraphBuilder, _ name: String, _ value: Float, _ shape: [Int] = []) -> Value {
        net.constant(name, (try? Tensor([value], shape: shape)) ?? net.never)
    }

    private func integers(_ net: GraphBuilder, _ name: String, _ values: [Int64], _ shape: [Int]? = nil) -> Value {
        net.constant(name, (try? Tensor(values, shape: shape ?? [values.count])) ?? net.never)
    }

    private func reshape(_ net: GraphBuilder, _ x: Value, _ name: String, _ shape: [Int64]) -> Value {
        net.apply(Reshape(), [x, integers(net, name, shape)])
    }

    private func transpose(_ net: GraphBuilder, _ x: Value, _ order: [Int]) -> Value {
        net.apply(Transpose(permutation: order), [x])
    }

    private func product(_ net: GraphBuilder, _ x: Value, _ name: String, _ shape: [Int]) -> Value {
        net.apply(MatMul(), [x, array(net, name, shape)])
    }

    private let fusions: [any Rewrite] = [
        ConstantFolding(), FuseElementwiseFunction(), FuseLayerNormalization(), FuseAttention(), DropDeadNodes(),
    ]

    @Test("LayerNormalization of means and squares takes in the scale and bias behind", arguments: [false, true])
    func layerNormalization(multiplies: Bool) throws {
        let result = try rewritten(with: fusions) { net, image in
            let x = tokens(net, image)
            let mean = ReductionAxes(axes: [-1])
            let centred = net.apply(Sub(), [x, net.apply(ReduceMean(axes: mean), [x])])
            let squares =
                multiplies
                ? net.apply(Mul(), [centred, centred]) : net.apply(Pow(), [centred, number(net, "two", 2)])
            let variance = net.apply(ReduceMean(axes: mean), [squares]) + number(net, "epsilon", 1e-5)
            let normal = net.apply(Div(), [centred, net.apply(Sqrt(), [variance])])
            net.output("y", net.apply(Mul(), [array(net, "gamma", [4]), normal]) + array(net, "beta", [4]))
        }
        #expect(result.graph.operatorNames == ["Reshape", "Transpose", "LayerNormalization"])
        #expect(result.graph.nodes[2].inputs.count == 3)
        let last = result.graph.nodes.last?.operation as? LayerNormalization
        #expect(last?.axis == -1 && last?.epsilon == 1e-5)
    }

    @Test("normalisation over the channels of an image is one over a last axis, scale and bias included")
    func channelNormalization() throws {
        let result = try rewritten(with: fusions + [MoveTranspose()]) { net, image in
            let mean = ReductionAxes(axes: [1])
            let centred = net.apply(Sub(), [image, net.apply(ReduceMean(axes: mean), [image])])
            let squares = net.apply(Pow(), [centred, number(net, "two", 2)])
            let variance = net.apply(ReduceMean(axes: mean), [squares]) + number(net, "epsilon", 1e-6)
            let normal = net.apply(Div(), [centred, net.apply(Sqrt(), [variance])])
            net.output(
                "y", net.apply(Mul(), [normal, array(net, "gamma", [4, 1, 1])]) + array(net, "beta", [4, 1, 1]))
        }
        #expect(result.graph.operatorNames == ["Transpose", "LayerNormalization", "Transpose"])
    }

    @Test("means over other values, or read elsewhere in part, are no LayerNormalization")
    func noLayerNormalization() throws {
        let result = try rewritten(with: [FuseLayerNormalization()]) { net, image in
            let x = tokens(net, image)
            let mean = ReductionAxes(axes: [-1])
            let centred = net.apply(Sub(), [x, net.apply(ReduceMean(axes: mean), [x])])
            let variance = net.apply(ReduceMean(axes: mean), [net.apply(Pow(), [x, number(net, "two", 2)])])
            let root = net.apply(Sqrt(), [variance + number(net, "epsilon", 1e-5)])
            net.output("y", net.apply(Div(), [centred, root]))
        }
        #expect(result.changes.isEmpty)
    }

    @Test("Gelu in any order of factors, by erf and by tanh", arguments: 0..<5)
    func gelu(form: Int) throws {
        let result = try rewritten(with: fusions) { net, image in
            let half = number(net, "half", 0.5)
            let one = number(net, "one", 1)
            if form == 4 {
                let cube = net.apply(Pow(), [image, number(net, "three", 3)])
                let sum = image + net.apply(Mul(), [number(net, "small", 0.044715), cube])
                let tangent = net.apply(Tanh(), [net.apply(Mul(), [sum, number(net, "root", 0.7978846)])])
                net.output("y", net.apply(Mul(), [net.apply(Mul(), [half, image]), one + tangent]))
                return
            }
            let erf =
                form == 3
                ? net.apply(Erf(), [net.apply(Mul(), [image, number(net, "factor", 0.70710677)])])
                : net.apply(Erf(), [net.apply(Div(), [image, number(net, "root", 1.4142135)])])
            let sum = form == 1 ? one + erf : erf + one
            switch form {
            case 0: net.output("y", net.apply(Mul(), [net.apply(Mul(), [image, sum]), half]))
            case 1: net.output("y", net.apply(Mul(), [image, net.apply(Mul(), [half, sum])]))
            case 2: net.output("y", net.apply(Mul(), [net.apply(Mul(), [image, half]), sum]))
            default: net.output("y", net.apply(Div(), [net.apply(Mul(), [sum, image]), number(net, "two", 2)]))
            }
        }
        #expect(result.graph.operatorNames == ["Gelu"])
        #expect((result.graph.nodes[0].operation as? Gelu)?.isApproximate == (form == 4))
        #expect(
            result.graph.nodes[0].name == result.changes.last { $0.contains("is Gelu") }?.split(separator: ":")[0] ?? ""
        )
    }

    @Test("Swish, HardSigmoid and HardSwish, and what is none of them")
    func swish() throws {
        let result = try rewritten(with: fusions) { net, image in
            net.output("a", net.apply(Mul(), [net.apply(Sigmoid(), [image]), image]))
            let six = number(net, "six", 6)
            let sum = image + number(net, "three", 3)
            let part = net.apply(Div(), [net.apply(Clip(min: 0, max: 6), [sum]), six])
            net.output("b", net.apply(Mul(), [image, part]))
            net.output("c", net.apply(Mul(), [image, net.apply(HardSigmoid(alpha: 1 / 6), [image])]))
            net.output("d", net.apply(Mul(), [image, net.apply(HardSigmoid(alpha: 0.2), [image])]))
        }
        #expect(
            result.graph.operatorNames.sorted() == ["HardSigmoid", "HardSwish", "HardSwish", "Mul", "Swish"])
    }

    /// Attention of two heads of 3 features over the tokens of an image.
    private func attention(_ net: GraphBuilder, _ image: Value, _ form: Int) -> Value {
        let x = tokens(net, image)
        var parts: [Value]
        if form < 2 {
            let whole = product(net, x, "qkv", [4, 18]) + array(net, "bias", [18])
            let heads = transpose(net, reshape(net, whole, "heads", [0, 36, 3, 2, 3]), [2, 0, 3, 1, 4])
            parts = (0..<3).map { index in
                form == 0
                    ? net.apply(Gather(axis: 0), [heads, integers(net, "index\(index)", [Int64(index)], [])])
                    : net.apply(
                        Squeeze(axes: [0]),
                        [
                            net.apply(
                                Slice(starts: [index], ends: [index + 1], axes: [0]), [heads])
                        ])
            }
        } else {
            parts = (0..<3).map { index in
                let row = product(net, x, "weight\(index)", [4, 6]) + array(net, "bias\(index)", [6])
                return transpose(net, reshape(net, row, "heads\(index)", [0, 36, 2, 3]), [0, 2, 1, 3])
            }
        }
        let root = number(net, "scale", 0.7598357)
        if form == 0 { parts[0] = net.apply(Mul(), [parts[0], number(net, "whole", 0.57735027)]) }
        var keys = transpose(net, parts[1], [0, 1, 3, 2])
        if form == 2 {
            parts[0] = net.apply(Mul(), [parts[0], root])
            keys = net.apply(Mul(), [keys, root])
        }
        var scores = net.apply(MatMul(), [parts[0], keys])
        if form == 3 {
            scores = net.apply(Div(), [scores, number(net, "divisor", 1.7320508)])
            scores = scores + array(net, "positions", [1, 2, 36, 36])
        }
        let weights = net.apply(Softmax(), [scores])
        let joined = transpose(net, net.apply(MatMul(), [weights, parts[2]]), [0, 2, 1, 3])
        return reshape(net, joined, "joined", [0, 36, 6])
    }

    @Test("attention reads queries, keys and values where the projections put them", arguments: [0, 2, 3])
    func attention(form: Int) throws {
        let result = try rewritten(with: fusions) { net, image in net.output("y", attention(net, image, form)) }
        let projections = form == 0 ? ["MatMul", "Add"] : ["MatMul", "Add", "MatMul", "Add", "MatMul", "Add"]
        #expect(
            result.graph.operatorNames.sorted()
                == (["Reshape", "Transpose"] + projections + ["ScaledDotProductAttention", "Reshape"]).sorted())
        let node = try #require(result.graph.nodes.first { $0.operation is ScaledDotProductAttention })
        let fused = try #require(node.operation as? ScaledDotProductAttention)
        #expect(fused.headCount == 2 && fused.putsRowsFirst && fused.isBatched)
        #expect(abs(fused.scale - 0.57735027) < 1e-6)
        #expect(fused.query.rowStride == (form == 0 ? 18 : 6))
        #expect(node.inputs.count == (form == 3 ? 4 : 3))
        #expect(result.changes.contains { $0.contains("attends with 2 heads of 3 features to 36 rows") })
    }

    @Test("Attention without what only text needs becomes the same node", arguments: [false, true])
    func attentionOperator(hasMask: Bool) throws {
        let result = try rewritten(with: fusions) { net, image in
            let x = tokens(net, image)
            var operands = (0..<3).map { index in
                transpose(
                    net, reshape(net, product(net, x, "w\(index)", [4, 6]), "h\(index)", [0, 36, 2, 3]), [0, 2, 1, 3])
            }
            if hasMask { operands.append(array(net, "mask", [1, 1, 36, 36])) }
            let joined = transpose(net, net.apply(Attention(scale: hasMask ? 0.5 : nil), operands), [0, 2, 1, 3])
            net.output("y", reshape(net, joined, "joined", [0, 36, 6]))
        }
        let node = try #require(result.graph.nodes.first { $0.operation is ScaledDotProductAttention })
        let fused = try #require(node.operation as? ScaledDotProductAttention)
        #expect(fused.putsRowsFirst && fused.query.rowStride == 6 && node.inputs.count == (hasMask ? 4 : 3))
        #expect(abs(fused.scale - (hasMask ? 0.5 : 0.57735027)) < 1e-6)
    }

    @Test("Attention that is causal, caps its scores or shares keys stays")
    func textAttention() throws {
        for operation in [Attention(isCausal: true), Attention(softcap: 2)] {
            let result = try rewritten(with: [FuseAttention()]) { net, image in
                net.output("y", net.apply(operation, [image, image, image]))
            }
            #expect(result.graph.operatorNames == ["Attention"])
        }
    }

    @Test("attention whose parts are sliced another way is fused from where they are stacks")
    func slicedAttention() throws {
        let result = try rewritten(with: fusions) { net, image in net.output("y", attention(net, image, 1)) }
        let fused = result.graph.nodes.compactMap { $0.operation as? ScaledDotProductAttention }
        #expect(fused.count == 1 && fused[0].query.rowStride == 3)
    }

    @Test("scores that are read elsewhere, or normalised along another axis, stay")
    func noAttention() throws {
        let result = try rewritten(with: [FuseAttention()]) { net, image in
            let scores = net.apply(MatMul(), [image, transpose(net, image, [0, 1, 3, 2])])
            net.output("a", net.apply(MatMul(), [net.apply(Softmax(axis: 2), [scores]), image]))
            let others = net.apply(MatMul(), [image, image])
            net.output("b", net.apply(MatMul(), [net.apply(Softmax(), [others]), image]))
            net.output("c", others)
        }
        #expect(result.changes.isEmpty)
    }

    @Test("a product of stacks takes in its bias, its factor, an addend and a curved activation")
    func products() throws {
        let rewrites: [any Rewrite] = [
            FuseProductBias(), FuseProductAddend(), FuseActivation(), FuseCurvedActivation(), DropDeadNodes(),
        ]
        let result = try rewritten(with: rewrites) { net, image in
            let x = tokens(net, image)
            let first = array(net, "bias", [5]) + product(net, x, "first", [4, 5])
            let hidden = net.apply(Gelu(), [first])
            let second = product(net, hidden, "second", [5, 4]) + array(net, "bias2", [4])
            net.output("y", x + net.apply(Mul(), [second, array(net, "gamma", [4])]))
        }
        #expect(result.graph.operatorNames == ["Reshape", "Transpose", "MatMul", "MatMul"])
        #expect(result.graph.nodes[2].fusedOperatorName == "MatMul + Add + Gelu")
        #expect(result.graph.nodes[3].fusedOperatorName == "MatMul + Add + Add")
    }

    @Test("a transposition moves behind an addition, so that the product before takes it in")
    func transposition() throws {
        let rewrites: [any Rewrite] = [MoveTranspose(), DropNoOpTranspose(), FuseProductAddend(), DropDeadNodes()]
        let result = try rewritten(with: rewrites) { net, image in
            let last = transpose(net, image, [0, 2, 3, 1])
            net.output("y", image + transpose(net, product(net, last, "weight", [4, 4]), [0, 3, 1, 2]))
        }
        #expect(result.graph.nodes.filter { $0.operation is Add }.isEmpty)
        #expect(result.graph.nodes.last?.operation is Transpose)
    }

    @Test("curved activations go into convolutions, and a spatial mean becomes a pooling")
    func convolutions() throws {
        let result = try rewritten(
            with: [UseGlobalAveragePool(), FuseElementwiseFunction(), DropDeadNodes(), FuseCurvedActivation()]
        ) { net, image in
            let x = image.convolution(4, kernel: 3)
            let y = net.apply(Mul(), [x, net.apply(Sigmoid(), [x])])
            net.output("y", net.apply(ReduceMean(axes: ReductionAxes(axes: [2, 3])), [y]))
        }
        #expect(result.graph.operatorNames == ["Conv", "GlobalAveragePool"])
        #expect(result.graph.nodes[0].fusedOperatorName == "Conv + Swish")
    }

    @Test("a spatial mean that drops its axes becomes a pooling and Flatten")
    func droppedAxes() throws {
        let result = try rewritten(with: [UseGlobalAveragePool()]) { net, image in
            net.output("y", net.apply(ReduceMean(axes: ReductionAxes(axes: [3, -2], keepsAxes: false)), [image]))
        }
        #expect(result.graph.operatorNames == ["GlobalAveragePool", "Flatten"])
    }
}
