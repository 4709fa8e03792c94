import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("What the planner chooses beside the reference", .ownThreads)
struct LoweringChoiceTests {
    @Test("A pool runs on a kernel, however large its window is", arguments: [2, 3, 5, 13, 25])
    func pools(kernel: Int) throws {
        for isMaximum in [true, false] {
            let graph = try Graph.build("pool") { net in
                let image = net.input("image", .float32, [.batch, 192, 26, 26])
                net.output(
                    "result",
                    isMaximum ? image.maxPool(kernel, padding: .same) : image.averagePool(kernel, padding: .same))
            }
            let plan = try Planner(backends: [CPUBackend(), ReferenceBackend()], threadCount: 2)
                .plan(graph, inputShapes: [[1, 192, 26, 26]], packedWeights: PackedWeights())
            #expect(!plan.layers.contains { $0.lowering == "evaluation" }, "\(graph.nodes[0].operatorName)")
        }
    }

    @Test("The mean of many pixels is as exact as that of few", arguments: [(5, 7), (120, 160), (1, 20_000)])
    func means(height: Int, width: Int) throws {
        let shape = [2, 24, height, width]
        let graph = try Graph.build("mean") { net in
            let image = net.input("image", .float32, [.batch, 24, .fixed(height), .fixed(width)])
            net.output("result", image.globalAveragePool())
        }
        var generator = SplitMix64(seed: 5)
        let input = try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Float.random(in: 0...1, using: &generator) }, shape: shape)
        func mean(_ backend: any Backend) throws -> [Float] {
            try Planner(backends: [backend], threadCount: 2)
                .plan(graph, inputShapes: [shape], packedWeights: PackedWeights())
                .outputs([input])[0].elements(as: Float.self)
        }
        let (found, expected) = (try mean(CPUBackend()), try mean(ReferenceBackend()))
        let worst = zip(found, expected).map { abs($0 - $1) / $1 }.max() ?? 1
        #expect(found.count == 48 && worst < 5e-7, "\(worst)")
    }
}
