import CPUBackend
import ConformanceCases
import Graphs
import Planning
import Tensors
import TestSupport
import Testing

@Suite("Outputs that steps write where the caller wants them", .ownThreads)
struct LargeOutputTests {
    private func outputs(
        _ graph: Graph, _ inputs: [Tensor], threads: Int, inPlaceFrom byteCount: Int
    ) throws -> (plan: Plan, outputs: [Tensor]) {
        let plan = try Planner(
            backends: [CPUBackend(), ReferenceBackend()], threadCount: threads, largeOutputByteCount: byteCount
        ).plan(graph, inputShapes: inputs.map(\.shape), packedWeights: PackedWeights())
        let execution = Execution(workers: try #require(ThreadPool(count: threads)))
        execution.fillsArena = true
        return (plan, try execution.run(plan, inputs: inputs))
    }

    /// The numbers of an output, of which NaN equals NaN.
    private func bits(_ output: Tensor) -> [UInt64] {
        output.elements(as: Double.self).map { $0.isNaN ? Double.nan.bitPattern : $0.bitPattern }
    }

    @Test("Every operator's output has the same bits in place as copied, and resized planes the same numbers")
    func cases() throws {
        var used: [String: Int] = [:]
        var inPlace = 0
        for conformanceCase in ConformanceCases.all {
            let graph = try conformanceCase.makeGraph()
            let inputs = try conformanceCase.givenInputs()
            let (plan, found) = try outputs(graph, inputs, threads: 2, inPlaceFrom: 0)
            let copied = try outputs(graph, inputs, threads: 1, inPlaceFrom: .max).outputs
            for layer in plan.layers {
                used[layer.lowering, default: 0] += 1
                if case .output = layer.memory { inPlace += 1 }
            }
            let arePlanes = plan.layers.contains { $0.lowering == "resize-planes" }
            for (output, other) in zip(found, copied) {
                let pairs = zip(output.elements(as: Double.self), other.elements(as: Double.self))
                #expect(
                    arePlanes
                        ? pairs.allSatisfy { conformanceCase.tolerance.accepts($0, expected: $1) }
                        : bits(output) == bits(other),
                    "\(conformanceCase.name), seed \(conformanceCase.seed)")
            }
        }
        #expect(used["resize-planes", default: 0] > 5, "\(used)")
        #expect(inPlace > 500, "\(inPlace)")
    }

    @Test(
        "An output that other layers read, that is given twice, or is a view, is right in place and in parts of a batch"
    )
    func shared() throws {
        let graph = try Graph.build("shared") { net in
            let image = net.input("x", .float32, [.batch, 4, .fixed(6), .fixed(5)])
            let features = image.convolution(4, kernel: 3, padding: .same).named("conv")
            let active = features.relu().named("relu")
            net.output("flat", active.flatten())
            net.output("features", features)
            net.output("active", active)
            net.output("again", active)
            net.output("sum", active + features)
        }.seeded(5)
        let inputs = [try Tensor.random([3, 4, 6, 5], seed: 2)]
        let (plan, found) = try outputs(graph, inputs, threads: 2, inPlaceFrom: 0)
        let expected = try outputs(graph, inputs, threads: 2, inPlaceFrom: .max).outputs
        #expect(plan.layers.contains { if case .output = $0.memory { true } else { false } })
        for (output, other) in zip(found, expected) { #expect(bits(output) == bits(other)) }
        let parts = try Planner(
            backends: [CPUBackend(), ReferenceBackend()], threadCount: 2, division: .images(1), largeOutputByteCount: 0
        ).plan(graph, inputShapes: inputs.map(\.shape), packedWeights: PackedWeights())
        #expect(parts.batching.runCount == 3)
        let execution = Execution(workers: try #require(ThreadPool(count: 2)))
        for (output, other) in zip(try execution.run(parts, inputs: inputs), expected) {
            #expect(bits(output) == bits(other))
        }
    }
}
