import Graphs
import Tensors
import Testing

@Suite("Rewrites that drop nodes")
struct DropTests {
    @Test("Identity, Concat of one value and Cast to the same type go")
    func identity() throws {
        let result = try rewritten(with: [DropIdentity()]) { net, image in
            let copy = net.apply(Identity(), [net.apply(Identity(), [image])])
            net.output("out", net.concat([net.apply(Cast(to: .float32), [copy])]).relu())
        }
        #expect(result.graph.operatorNames == ["Relu"])
        #expect(result.changes.first == "identity1: dropped: returns its input")
    }

    @Test("a factor of 1 goes unless it broadcasts the other operand; other factors stay")
    func factorOfOne() throws {
        func constant(_ net: GraphBuilder, _ numbers: [Float], _ shape: [Int]) -> GraphBuilder.Value {
            net.constant("c\(numbers)\(shape)", (try? Tensor(numbers, shape: shape)) ?? net.never)
        }
        let result = try rewritten(with: [DropIdentity()]) { net, image in
            let value = constant(net, [1], []) * (image.relu() * constant(net, [1, 1, 1, 1], [4, 1, 1]))
            net.output("out", net.apply(Div(), [value, constant(net, [1], [1])]).sigmoid())
            net.output("inverse", net.apply(Div(), [constant(net, [1], [1, 1, 1]), value.sigmoid()]))
            net.output("stays", image.relu() * constant(net, [1, 2, 1, 1], [4, 1, 1]))
            net.output("broadcast", image.relu() * constant(net, [1, 1], [2, 1, 1, 1, 1]))
        }
        #expect(result.graph.operatorNames == ["Relu", "Sigmoid", "Sigmoid", "Div", "Relu", "Mul", "Relu", "Mul"])
        #expect(result.changes.count == 3)
    }

    @Test("an output keeps its name when its Identity goes, whoever else reads the value before")
    func outputIdentity() throws {
        let result = try rewritten(with: [DropIdentity()]) { net, image in
            let value = image.relu()
            net.output("other", value.sigmoid())
            net.output("out", net.apply(Identity(), [value]))
        }
        #expect(result.graph.operatorNames == ["Relu", "Sigmoid"])
        #expect(result.graph.nodes[0].outputs == result.graph.nodes[1].inputs)
    }

    @Test("Identity stays between an input or output and an output")
    func neededIdentity() throws {
        let result = try rewritten(with: [DropIdentity()]) { net, image in
            net.output("same", net.apply(Identity(), [image]))
            let value = image.relu()
            net.output("a", value)
            net.output("b", net.apply(Identity(), [value]))
        }
        #expect(result.graph.operatorNames == ["Identity", "Relu", "Identity"])
        #expect(result.changes.isEmpty)
    }

    @Test("Sum of one value goes, Sum of two becomes Add, Sum of three stays")
    func sum() throws {
        let result = try rewritten(with: [DropIdentity(), ReplaceSumByAdd()]) { net, image in
            let one = net.apply(Sum(), [image.relu()])
            let two = net.apply(Sum(), [one, image])
            net.output("out", net.apply(Sum(activation: .relu), [one, two, image]))
            net.output("fused", net.apply(Sum(activation: .relu), [two, image]))
        }
        #expect(result.graph.operatorNames == ["Relu", "Add", "Sum", "Add"])
        #expect((result.graph.nodes[3].operation as? Add)?.activation == .relu)
    }

    @Test("Dropout goes unless its mask is read")
    func dropout() throws {
        let result = try rewritten(with: [DropDropout()]) { net, image in net.output("out", image.relu().dropout()) }
        #expect(result.graph.operatorNames == ["Relu"])
        var graph = try Graph.build("mask") { net in
            net.output("out", net.input("image", .float32, [2]).dropout())
        }
        let mask = graph.addValue("mask")
        graph.nodes[0].outputs.append(mask)
        graph.outputs.append(mask)
        #expect(try Rewrites.declutter(graph).graph.operatorNames == ["Dropout"])
    }

    @Test("reshapes that keep the shape go, alone and in pairs")
    func reshape() throws {
        let result = try rewritten(with: [DropNoOpReshape(), DropDeadNodes()]) { net, image in
            let list = image.globalAveragePool().flatten().flatten()
            let there = net.apply(Unsqueeze(axes: [2, 3]), [list])
            let back = net.apply(Squeeze(axes: [2, 3]), [there])
            net.output("out", back.reshape([-1, 4]).softmax())
            net.output("rows", image.reshape([0, 4, 36]).reshape([-1, 12]).relu())
        }
        #expect(result.graph.operatorNames == ["GlobalAveragePool", "Squeeze", "Softmax", "Reshape", "Relu"])
    }

    @Test("a Squeeze that depends on the batch being 1 stays")
    func squeezeOfBatch() throws {
        let result = try rewritten(with: [DropNoOpReshape()]) { net, image in
            net.output("out", net.apply(Squeeze(), [image.flatten()]).relu())
        }
        #expect(result.graph.operatorNames == ["Flatten", "Squeeze", "Relu"])
    }

    @Test("transpositions that keep or undo the order of axes go; others join")
    func transpose() throws {
        let result = try rewritten(with: [DropNoOpTranspose(), DropDeadNodes()]) { net, image in
            let same = image.transpose([0, 1, 2, 3]).transpose([0, 2, 3, 1]).transpose([0, 3, 1, 2])
            let reversed = net.apply(Transpose(), [net.apply(Transpose(), [same])])
            net.output("out", reversed.transpose([1, 0, 2, 3]).transpose([0, 2, 1, 3]).relu())
        }
        #expect(result.graph.operatorNames == ["Transpose", "Relu"])
        let joined = try #require(result.graph.nodes[0].operation as? Transpose)
        #expect(joined.permutation == [1, 2, 0, 3])
    }

    @Test("transpositions do not join over a value that something else reads")
    func sharedTranspose() throws {
        let result = try rewritten(with: [DropNoOpTranspose()]) { net, image in
            let turned = image.transpose([1, 0, 2, 3])
            net.output("a", turned.transpose([0, 2, 1, 3]).relu())
            net.output("b", turned.relu())
        }
        #expect(result.graph.operatorNames == ["Transpose", "Transpose", "Relu", "Relu"])
    }

    @Test("what nothing reads goes, arrays too")
    func dead() throws {
        let result = try rewritten(with: [DropDeadNodes()]) { net, image in
            _ = image.convolution(4, kernel: 3).relu().convolution(2, kernel: 1)
            net.output("out", image.relu())
        }
        #expect(result.graph.operatorNames == ["Relu"])
        #expect(result.graph.initializers.isEmpty)
        #expect(result.changes.count == 4 || result.changes.count == 3)
    }

    @Test("Pad that adds nothing goes, whether its numbers are an attribute or an input")
    func pad() throws {
        let result = try rewritten(with: [DropNoOpPad()]) { net, image in
            let none = (try? Tensor([Int64](repeating: 0, count: 8), shape: [8])) ?? net.never
            let given = net.apply(Pad(), [image, net.constant("pads", none)])
            let padded = net.apply(Pad(pads: [0, 0, 0, 0, 0, 0, 0, 1]), [given])
            net.output("y", net.apply(Pad(pads: [Int](repeating: 0, count: 8)), [padded]).relu())
        }
        #expect(result.graph.operatorNames == ["Pad", "Relu"])
        #expect(result.changes.count == 2)
    }
}
