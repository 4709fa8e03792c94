import ConformanceCases
import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite(
    "Work-groups of a product that run at the same time", .ownThreads, .enabled(if: !BackendChain.openCL.isEmpty),
    .serialized)
struct ConcurrentGroupsTests {
    private static let seed: UInt64 = 3

    /// Extents that are odd, so that both operands are read one element at a time, and groups enough for all units.
    @Test("Groups do not share local memory", arguments: [203, 65])
    func multiplies(_ columns: Int) throws {
        let graph = try Graph.build("products") { net in
            let left = net.input("left", .float32, [3, 203, 203])
            let right = net.input("right", .float32, [3, 203, .fixed(columns)])
            net.output("y", net.append(MatMul(), kind: "product", [left, right]))
        }
        var generator = SplitMix64(seed: Self.seed)
        let inputs = try [203, columns].map { extent in
            try Tensor(
                (0..<3 * 203 * extent).map { _ in Float.random(in: -1...1, using: &generator) },
                shape: [3, 203, extent]
            )
        }
        let expected = try BackendChain.cpu.plan(graph, for: inputs).outputs(inputs)[0]
        let plan = try #require(BackendChain.openCL.first).plan(graph, for: inputs)
        #expect(plan.layers.contains { $0.backend == "opencl" && $0.operatorName == "MatMul" })
        for round in 1...20 {
            let difference = TensorComparison(
                try plan.outputs(inputs)[0], expected, relative: 1e-3, absolute: 1e-4
            ).difference
            #expect(difference == nil, "round \(round), seed \(Self.seed): \(difference ?? "")")
        }
    }
}
