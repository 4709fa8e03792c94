import Graphs
import Planning
import Tensors
import Testing

@Suite("Batches that run in parts")
struct BatchingTests {
    /// A network whose sum reads an input that every image shares.
    private func network() throws -> Graph {
        try Graph.build("shared") { net in
            let image = net.input("image", .float32, [.batch, 2, 5, 5])
            let mask = net.input("mask", .float32, [1, 2, 5, 5])
            let features = (image + mask).convolution(3, kernel: 3).relu()
            net.output("features", features)
            net.output("scores", features.flatten().linear(4).softmax())
        }.seeded(3)
    }

    private func plan(_ graph: Graph, images: Int, _ division: BatchDivision?) throws -> Plan {
        let shapes = graph.inputs.map { graph[$0].shape?.binding(["N": images]) ?? [] }
        return try Planner(backends: [ReferenceBackend()], threadCount: 1, division: division)
            .plan(graph, inputShapes: shapes, packedWeights: PackedWeights())
    }

    private func tensor(_ shape: [Int]) throws -> Tensor {
        try Tensor((0..<shape.reduce(1, *)).map { Float(($0 * 37) % 101) / 50 - 1 }, shape: shape)
    }

    @Test("Parts give what the whole gives, in the memory of a part")
    func givesTheSame() throws {
        let graph = try network()
        let inputs = [try tensor([6, 2, 5, 5]), try tensor([1, 2, 5, 5])]
        let whole = try plan(graph, images: 6, nil)
        #expect(whole.batching == Batching(runCount: 1, reason: "batches are to be run whole"))
        for (wanted, runCount) in [(0, 6), (1, 6), (2, 3), (3, 2), (4, 2), (5, 2), (6, 1), (60, 1)] {
            let part = try plan(graph, images: 6, .images(wanted))
            #expect(part.batching.runCount == runCount)
            #expect(part.inputs.map(\.type.shape) == [[6, 2, 5, 5], [1, 2, 5, 5]])
            #expect(part.outputs.map(\.shape) == [[6, 3, 3, 3], [6, 4]])
            #expect(try part.outputs(inputs) == whole.outputs(inputs))
            if runCount > 1 { #expect(part.arenaByteCount < whole.arenaByteCount) }
        }
    }

    @Test("Images run at a time as long as their values stay in the cache and weights or starts are worth sharing")
    func fitsTheCache() throws {
        // A deep network of large values and few weights.
        let graph = try Graph.build("large") { net in
            var value = net.input("image", .float32, [.batch, 4, 64, 64])
            for _ in 0..<3 { value = value.relu() }
            net.output("y", value.globalAveragePool())
        }
        let image = 4 * 4 * 64 * 64
        let counts = try [1, 2, 4, 8, 40].map { images in
            try plan(graph, images: 8, .fitting(cacheByteCount: images * 2 * image)).batching.runCount
        }
        #expect(counts == counts.sorted(by: >) && counts.first == 8 && counts.last == 1, "\(counts)")
        let reason = try plan(graph, images: 8, .fitting(cacheByteCount: 1000)).batching.reason
        #expect(reason == "\(2 * image) bytes of values per image, 1000 bytes of cache")
    }

    @Test("The plan says why a batch runs whole")
    func explains() throws {
        let mixing = try Graph.build("mixing") { net in
            let image = net.input("image", .float32, [.batch, 8])
            net.output("y", net.append(Softmax(axis: 0), kind: "softmax", [image]))
        }
        #expect(
            try plan(mixing, images: 4, .images(1)).batching.reason
                == "node \"softmax1\" (Softmax) may compute an image from the others")
        #expect(try plan(mixing, images: 1, .images(1)).batching.reason == "one image")
        let fixed = try Graph.wired(inputs: [("x", [4, 8])], nodes: [("y", Neg(), reads: ["x"])], outputs: ["y"])
        #expect(try plan(fixed, images: 4, .images(1)).batching.runCount == 4)
        let unequal = try Graph.wired(
            inputs: [("x", [4, 8]), ("z", [1, 8])], nodes: [("y", Add(), reads: ["x", "z"])], outputs: ["y"])
        #expect(try plan(unequal, images: 4, .images(1)).batching.reason == "the inputs declare no batch size")
    }
}
