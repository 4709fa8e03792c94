import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Parts of a value that are read where they lie", .ownThreads)
struct SplitTests {
    private func split(
        _ net: GraphBuilder, _ image: GraphBuilder.Value
    ) -> (GraphBuilder.Value, GraphBuilder.Value) {
        let features = image.convolution(12, kernel: 3, padding: .same).relu()
        let part = { (start: Int, end: Int) in
            net.append(Slice(starts: [start], ends: [end], axes: [1]), kind: "part", [features])
        }
        return (part(0, 5), part(5, 12))
    }

    /// A network whose two slices of one value become the results of a Split, since the builder has none.
    private func network(
        _ describe: (GraphBuilder, GraphBuilder.Value, GraphBuilder.Value) -> Void
    ) throws -> Graph {
        var graph = try Graph.build("split") { net in
            let (first, second) = split(net, net.input("image", .float32, [.batch, 3, 8, 9]))
            describe(net, first, second)
        }.seeded(4)
        let slices = graph.nodes.indices.filter { graph.nodes[$0].operation is Slice }
        var node = graph.nodes[slices[0]]
        node.operation = Split(axis: 1, extents: [5, 7])
        node.outputs.append(graph.nodes[slices[1]].outputs[0])
        graph.nodes[slices[0]] = node
        graph.nodes.remove(at: slices[1])
        try graph.validate()
        return graph
    }

    /// Plans and runs batches of 2 and 1, compares both with the reference, and returns the plan of the batch of 2.
    private func checked(_ graph: Graph) throws -> Plan {
        func run(_ images: Int) throws -> Plan {
            let shape = [images, 3, 8, 9]
            let input = try Tensor((0..<shape.reduce(1, *)).map { Float(($0 * 29) % 97) / 48 - 1 }, shape: shape)
            let plan = try BackendChain.cpu.plan(graph, for: [input])
            let expected = try ReferenceEvaluation.run(graph, [input])
            for (output, expected) in zip(try plan.outputs([input]), expected) {
                let difference = TensorComparison(output, expected, relative: 1e-4, absolute: 1e-5).difference
                #expect(difference == nil, "\(difference ?? "")")
            }
            return plan
        }
        _ = try run(1)
        return try run(2)
    }

    @Test("Convolutions and poolings read parts in place, as operands and as addends")
    func isView() throws {
        let plan = try checked(
            network { net, first, second in
                net.output("a", first.convolution(7, kernel: 3, padding: .same).sigmoid() + second)
                net.output("b", second.maxPool(2))
                net.output("c", first.convolution(7, kernel: 1) + second)
                net.output("d", second)
            })
        let layer = try #require(plan.layers.first { $0.operatorName == "Split" })
        #expect(layer.lowering == "in-place-split")
        #expect(layer.memory == .view(of: "relu1"), "\(layer.memory)")
    }

    @Test("A part that is joined with others in place is copied there once")
    func isJoined() throws {
        let plan = try checked(
            network { net, first, second in
                let joined = net.append(
                    Concat(axis: 1), kind: "concat", [second, first.convolution(3, kernel: 1), first])
                net.output("y", joined.convolution(4, kernel: 3))
            })
        #expect(plan.layers.contains { $0.operatorName == "Split" && $0.memory == .view(of: "relu1") })
        let isInPlace = plan.layers.contains {
            if case .slice(of: "concat1", _, _, _) = $0.memory { true } else { false }
        }
        #expect(isInPlace)
    }

    @Test("A part that must be dense is copied")
    func isCopied() throws {
        let plan = try checked(
            network { net, first, second in
                // A view of images in the order of their memory.
                net.output("y", net.append(Transpose(permutation: [0, 2, 3, 1]), kind: "transpose", [first]))
                net.output("z", second.maxPool(3))
            })
        let layer = try #require(plan.layers.first { $0.operatorName == "Split" })
        #expect(layer.lowering == "in-place-split")
        if case .arena = layer.memory { return }
        Issue.record("\(layer.memory)")
    }

    @Test("Merged reductions of an Inception module are read in place, and its branches still written in place")
    func copiesNothing() throws {
        let graph = try Graph.build("inception") { net in
            let image = net.input("image", .float32, [.batch, 3, 8, 9])
            net.output(
                "y",
                image.convolution(8, kernel: 3).relu()
                    .inception(pointwise: 8, reduce3x3: 6, wide3x3: 8, reduce5x5: 3, wide5x5: 4, pooled: 4)
                    .maxPool(2))
        }.seeded(9)
        let plan = try checked(graph)
        #expect(plan.layers.count { $0.operatorName == "Conv + Relu" } == 6)
        #expect(plan.layers.count { if case .slice = $0.memory { true } else { false } } == 4)
        #expect(plan.layers.count { $0.operatorName == "Split" } == 1)
        #expect(!plan.layers.contains { $0.lowering == "strided-copy" })
        let split = try #require(plan.layers.first { $0.operatorName == "Split" })
        if case .view = split.memory { return }
        Issue.record("\(split.memory)")
    }

    @Test("Batches in parts read views of the caller's inputs")
    func readsViewsOfInputs() throws {
        let graph = try Graph.build("views") { net in
            let image = net.input("image", .float32, [.batch, 2, 3, 5])
            net.output("y", image.flatten().tanh())
        }
        let input = try Tensor((0..<120).map { Float($0) / 60 - 1 }, shape: [4, 2, 3, 5])
        let whole = try BackendChain.cpu.plan(graph, for: [input])
        let part = try BackendChain.cpu.plan(graph, for: [input], division: .images(2))
        #expect(part.batching.runCount == 2)
        #expect(part.layers.contains { $0.memory == .view(of: "image") })
        #expect(
            try part.outputs([input])[0].elements(as: Float.self) == whole.outputs([input])[0].elements(as: Float.self))
    }
}
