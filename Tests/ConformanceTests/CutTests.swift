import ConformanceCases
import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Networks cut between the processor and a device", .ownThreads, .enabled(if: !BackendChain.openCL.isEmpty))
struct CutTests {
    @Test("Wherever a random network is cut, it gives what its operators give one by one")
    func agrees() throws {
        let device = try #require(BackendChain.openCL.first?.backends.first as? OpenCLBackend).openCLDevice
        var transfers = 0
        var deviceSlices = 0
        for seed in UInt64(0)..<100 {
            let random = try RandomGraph(seed: seed)
            do {
                let expected = try ReferenceEvaluation.run(random.graph, random.inputs)
                for cut in UInt64(0)..<2 {
                    let chain = BackendChain.onDevice(
                        device,
                        .chosen { node in
                            var generator = SplitMix64(seed: seed << 32 + cut << 16 + UInt64(node))
                            return Bool.random(using: &generator)
                        })
                    let plan = try chain.plan(random.graph, for: random.inputs, threads: 2)
                    transfers += plan.layers.filter { $0.transferByteCount > 0 }.count
                    deviceSlices +=
                        plan.layers.filter { layer in
                            if case .slice = layer.memory { layer.space == .device } else { false }
                        }.count
                    let execution = Execution(workers: try #require(ThreadPool(count: 2)))
                    // Leaves NaN in memory, so that a read before the write in the second run is noticed.
                    let poison = try random.inputs.map {
                        try Tensor([Float](repeating: .nan, count: $0.elementCount), shape: $0.shape)
                    }
                    _ = try execution.run(plan, inputs: poison)
                    let outputs = try execution.run(plan, inputs: random.inputs)
                    for (index, (output, expected)) in zip(outputs, expected).enumerated() {
                        let difference = TensorComparison(output, expected, relative: 1e-3, absolute: 1e-4).difference
                        #expect(
                            difference == nil,
                            "seed \(seed), cut \(cut), output \(index): \(difference ?? "")\n\(random.listing)")
                    }
                }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(random.listing)")
            }
        }
        print("CutTests: \(transfers) transfers, \(deviceSlices) slices written in place on the device")
        #expect(transfers > 300)
    }
}
