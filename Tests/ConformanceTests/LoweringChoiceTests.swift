import CPUBackend
import Graphs
import Planning
import Tensors
import Testing

@Suite("What the planner chooses beside the reference")
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
}
