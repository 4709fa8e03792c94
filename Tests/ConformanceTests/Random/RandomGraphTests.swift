import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Random networks", .ownThreads)
struct RandomGraphTests {
    private static let seeds = UInt64(0)..<600

    @Test("Plans of random networks give what their operators give one by one", arguments: BackendChain.all)
    func agrees(_ chain: BackendChain) throws {
        // A device compiles programs for every network.
        for seed in Self.seeds where !chain.usesDevice || seed < 100 {
            let random = try RandomGraph(seed: seed)
            do {
                let plan = try chain.plan(random.graph, for: random.inputs, threads: 1 + Int(seed % 3))
                let pool = try #require(ThreadPool(count: plan.threadCount))
                let execution = Execution(workers: pool)
                // Leaves NaN in memory, so that a read before the write in the second run is noticed.
                let poison = try random.inputs.map {
                    try Tensor([Float](repeating: .nan, count: $0.elementCount), shape: $0.shape)
                }
                _ = try execution.run(plan, inputs: poison)
                let outputs = try execution.run(plan, inputs: random.inputs)
                let expected = try ReferenceEvaluation.run(random.graph, random.inputs)
                for (index, (output, expected)) in zip(outputs, expected).enumerated() {
                    let difference = TensorComparison(output, expected, relative: 1e-3, absolute: 1e-4).difference
                    #expect(difference == nil, "seed \(seed), output \(index): \(difference ?? "")\n\(random.listing)")
                }
                #expect(outputs.count == expected.count)
            } catch {
                Issue.record("seed \(seed): \(error)\n\(random.listing)")
            }
        }
    }

    @Test("Any number of threads gives the same bits")
    func isThreadInvariant() throws {
        for seed in Self.seeds where seed % 4 == 0 {
            let random = try RandomGraph(seed: seed)
            let outputs = try [1, 2, 3, 5].map { threads in
                try BackendChain.cpu.plan(random.graph, for: random.inputs, threads: threads).outputs(random.inputs)
                    .map { $0.elements(as: Float.self).map(\.bitPattern) }
            }
            for other in outputs.dropFirst() { #expect(other == outputs[0], "seed \(seed)\n\(random.listing)") }
        }
    }

    @Test("Batches in parts give the same bits, and some can be computed in parts")
    func isDivisible() throws {
        var divided = 0
        for seed in Self.seeds {
            let random = try RandomGraph(seed: seed)
            let part = try BackendChain.cpu.plan(random.graph, for: random.inputs, division: .images(1))
            guard part.batching.runCount > 1 else { continue }
            divided += 1
            let bits = try [part, BackendChain.cpu.plan(random.graph, for: random.inputs)].map { plan in
                try plan.outputs(random.inputs).map { $0.elements(as: Float.self).map(\.bitPattern) }
            }
            #expect(bits[0] == bits[1], "seed \(seed)\n\(random.listing)")
        }
        #expect(divided >= 20, "\(divided)")
    }

    @Test("The networks hold what planners stumble over")
    func coversWhatMatters() throws {
        var operators: [String: Int] = [:]
        var slices = 0
        var views = 0
        var repeated = 0
        for seed in Self.seeds {
            let random = try RandomGraph(seed: seed)
            for node in random.graph.nodes {
                operators[node.operatorName, default: 0] += 1
                let reads = node.inputs.compactMap { $0 }
                if node.operatorName == "Concat", Set(reads).count < reads.count { repeated += 1 }
            }
            for layer in try BackendChain.cpu.plan(random.graph, for: random.inputs).layers {
                if case .slice = layer.memory { slices += 1 }
                if case .view = layer.memory { views += 1 }
            }
        }
        print("RandomGraphTests: \(operators.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" })")
        print("RandomGraphTests: \(slices) slices written in place, \(views) views, \(repeated) repeated inputs")
        #expect(slices >= 100 && views >= 100 && repeated >= 100)
        #expect(operators.count >= 20)
    }
}
