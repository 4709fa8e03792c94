import CPUBackend
import Graphs
import Planning
import Tensors
import Testing

@Suite("Networks of the zoo on the processor", .serialized)
struct ZooInvarianceTests {
    private static let threads = [1, 2, 3]
    private static let batches = [1, 2, 3, 5, 8, 16]

    @Test(
        "An image has the same bits in every batch and on every number of threads",
        arguments: Networks.all.map(\.name))
    func isInvariant(_ name: String) async throws {
        let graph = try Rewrites.declutter(#require(Networks.find(name)).build().seeded(5)).graph
        let shape = try #require(graph.inputs.first.flatMap { graph[$0].shape })
        let extents = shape.dimensions.dropFirst().compactMap(\.value)
        let elementCount = extents.reduce(1, *)
        let seed: UInt64 = 11
        let images = (0..<16).map { image in
            var generator = SplitMix64(seed: seed + UInt64(image))
            return (0..<elementCount).map { _ in Float(generator.nextUnit() * 4 - 2) }
        }
        let weights = PackedWeights()
        var expected: [[UInt32]] = []
        for threads in Self.threads {
            let execution = Execution(workers: try #require(ThreadPool(count: threads)))
            func run(_ chosen: [Int]) throws -> [[UInt32]] {
                let input = try Tensor(chosen.flatMap { images[$0] }, shape: [chosen.count] + extents)
                let plan = try Planner(
                    backends: BackendChain.cpu.backends, threadCount: threads,
                    division: .fitting(cacheByteCount: ProcessorInformation.cacheByteCount(threads: threads))
                ).plan(graph, inputShapes: [input.shape], packedWeights: weights)
                #expect(plan.layers.allSatisfy { $0.backend == "cpu" })
                let bits = try execution.run(plan, inputs: [input])[0].elements(as: Float.self).map(\.bitPattern)
                let count = bits.count / chosen.count
                return chosen.indices.map { Array(bits[$0 * count..<($0 + 1) * count]) }
            }
            if expected.isEmpty {
                for image in images.indices {
                    expected.append(try run([image])[0])
                    await Task.yield()
                }
                #expect(Set(expected).count == images.count)
            }
            for batch in Self.batches {
                // From the last image on, so that an image stands elsewhere in each batch.
                let chosen = (0..<batch).map { 15 - $0 }
                // Other tests wait for the pool that this one computes on.
                await Task.yield()
                for (image, bits) in zip(chosen, try run(chosen)) {
                    #expect(
                        bits == expected[image],
                        "\(threads) threads, image \(image) in a batch of \(batch), seed \(seed)"
                    )
                }
            }
        }
    }
}
