import CPUBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Layers run strip by strip", .ownThreads)
struct StripTests {
    private static let seeds = 0..<UInt64(80)
    /// Sizes of the cache, in bytes, that are too small for most images of the chains but large enough for their rows.
    private static let cacheByteCounts = [5_000, 15_000, 60_000]

    private func plan(_ chain: RandomChain, _ images: Int, threads: Int, cache: Int) throws -> Plan {
        try Planner(backends: [CPUBackend(workerCacheByteCount: cache)], threadCount: threads)
            .plan(chain.graph, inputShapes: [chain.inputShape(images)], packedWeights: PackedWeights())
    }

    private func bits(_ plan: Plan, _ input: Tensor) throws -> [[UInt32]] {
        try plan.outputs([input]).map { $0.elements(as: Float.self).map(\.bitPattern) }
    }

    @Test("Strips give the bits that whole layers give", arguments: seeds)
    func areExact(seed: UInt64) throws {
        let chain = try RandomChain(seed: seed)
        for images in 1...3 {
            let input = try chain.input(images)
            let expected = try bits(try plan(chain, images, threads: 1, cache: 0), input)
            for threads in 1...3 {
                for cache in Self.cacheByteCounts {
                    let isSame = try bits(try plan(chain, images, threads: threads, cache: cache), input) == expected
                    #expect(isSame, "\(images) images, \(threads) threads, \(cache) bytes\n\(chain.listing)")
                }
            }
        }
    }

    @Test("What runs in strips depends on neither batch nor threads")
    func dependsOnTheImageAlone() throws {
        var merged: [String: Int] = [:]
        for seed in Self.seeds {
            let chain = try RandomChain(seed: seed)
            for cache in Self.cacheByteCounts {
                let expected = try plan(chain, 1, threads: 1, cache: cache).layers
                for layer in expected where layer.chain != nil { merged[layer.lowering, default: 0] += 1 }
                for (images, threads) in [(1, 3), (3, 1), (7, 2)] {
                    let layers = try plan(chain, images, threads: threads, cache: cache).layers
                    #expect(layers.map(\.chain?.operations) == expected.map(\.chain?.operations))
                }
            }
        }
        for lowering in ["interleaved-winograd", "implicit-gemm", "depthwise", "max-pool-rows"] {
            #expect(merged[lowering, default: 0] > 5, "\(lowering) in \(merged)")
        }
    }

    @Test("Values between the layers of a chain take no memory of their own")
    func savesMemory() throws {
        let chain = try RandomChain(seed: 7)
        let whole = try plan(chain, 16, threads: 1, cache: 0)
        let strips = try plan(chain, 16, threads: 1, cache: 15_000)
        let merged = strips.layers.filter { $0.chain != nil }
        #expect(merged.count > 1)
        #expect(merged.dropLast().allSatisfy { $0.memory == .strip })
        #expect(strips.arenaByteCount < whole.arenaByteCount)
    }

    @Test("A value that is an output or read twice is kept whole")
    func keepsWhatIsWanted() throws {
        var chain = try RandomChain(seed: 1)
        chain.graph.outputs = chain.graph.nodes.compactMap { $0.outputs[0] }
        let layers = try plan(chain, 1, threads: 1, cache: 15_000).layers
        #expect(layers.allSatisfy { $0.chain == nil })
        #expect(layers.contains { $0.stripReason?.contains("the network's") == true })
        let input = try chain.input(2)
        let isSame =
            try bits(try plan(chain, 2, threads: 2, cache: 15_000), input)
            == bits(try plan(chain, 2, threads: 2, cache: 0), input)
        #expect(isSame)
    }
}
