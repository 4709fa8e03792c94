import Graphs
import Tensors
import Testing

@Suite("Declutter")
struct DeclutterTests {
    @Test("a chain of 100,000 nodes is decluttered", .timeLimit(.minutes(1)))
    func longChain() throws {
        let length = 100_000
        var graph = Graph(name: "chain")
        var value = graph.addValue("image", elementType: .float32, shape: [.batch, 8])
        graph.inputs = [value]
        for index in 0..<length {
            let next = graph.addValue("v\(index)")
            let operation: any Operator = index % 2 == 0 ? Identity() : Relu()
            graph.nodes.append(.init(name: "n\(index)", operation: operation, inputs: [value], outputs: [next]))
            value = next
        }
        graph.outputs = [value]
        let result = try Rewrites.declutter(graph)
        #expect(result.graph.nodes.count == length / 2)
        #expect(result.graph[result.graph.outputs[0]].name == "v\(length - 1)")
    }

    @Test("SqueezeNet's activations fuse and its outputs stay")
    func squeezeNet() throws {
        let graph = try Networks.squeezeNet1_1(classes: 7, extent: 35).seeded(7)
        let result = try Rewrites.declutter(graph)
        #expect(result.graph.operatorNames.filter { $0 == "Relu" }.isEmpty)
        #expect(result.graph.nodes.count == 26 + 3 + 8 + 3)
        let input = try Tensor.random([1, 3, 35, 35])
        let (before, after) = (try graph.evaluated([input]), try result.graph.evaluated([input]))
        let pairs = zip(try #require(before["prob"]), try #require(after["prob"]))
        #expect(pairs.allSatisfy { abs($0 - $1) < 1e-6 })
        let report = try #require(result.reports.first { $0.name == "FuseActivation" })
        #expect(report.changes.first?.description == "relu1: fused into \"conv1\" as Relu")
    }

    @Test("a rewrite that breaks the graph is named")
    func brokenRewrite() throws {
        struct Breaking: Rewrite {
            static let name = "Breaking"
            static let summary = "Removes the first node."
            func apply(to edit: inout GraphEdit) throws(GraphError) {
                guard let node = edit.node(0) else { return }
                edit.remove(0)
                edit.note(node, "removed")
            }
        }
        let graph = try Graph.build("broken") { net in
            net.output("out", net.input("image", .float32, [2]).relu().sigmoid())
        }
        do {
            _ = try Rewrites.declutter(graph, using: [Breaking()])
            Issue.record("no error")
        } catch {
            #expect(error.description.hasPrefix("rewrite Breaking: node \"sigmoid1\" (Sigmoid): reads \"relu1\""))
        }
    }

    @Test("every rewrite has its own name")
    func names() {
        let names = Rewrites.all.map { type(of: $0).name }
        // Unread nodes and arrays are dropped three times.
        #expect(Set(names).count == names.count - 2)
        #expect(names.last == "DropDeadNodes")
    }

    @Test("graphs whose shapes cannot be known yet are decluttered as far as possible")
    func unknownShapes() throws {
        var graph = try Graph.build("open") { net in
            let image = net.input("image", .float32, [.batch, 4, 6, 6])
            net.output("out", image.convolution(4, kernel: 3).batchNormalization().relu().dropout().flatten())
        }.randomized()
        graph.values[graph.inputs[0].index].shape = [.batch, 4, .symbol("H"), .symbol("W")]
        let result = try Rewrites.declutter(graph)
        #expect(result.graph.operatorNames == ["Conv", "Flatten"])
        #expect(try graph.inferSymbolicTypes() == nil)
    }
}
