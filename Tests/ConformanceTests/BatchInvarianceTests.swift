import CPUBackend
import Formats
import Foundation
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("SqueezeNet on the processor", .ownThreads)
struct BatchInvarianceTests {
    private static let threads = [1, 2, 3]
    private static let batches = [1, 2, 3, 5, 8, 16]

    private func squeezeNet() throws -> Graph {
        let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/models/squeezenet1_1.onnx")
        return try ONNXFormat().read(try Data(contentsOf: model), folder: nil)
    }

    private func images(_ count: Int) throws -> [[Float]] {
        var generator = SplitMix64(seed: 3)
        return (0..<count).map { _ in
            (0..<3 * 227 * 227).map { _ in Float.random(in: -2...2, using: &generator) }
        }
    }

    @Test("An image has the same bits in every batch, at every position, on every number of threads")
    func isInvariant() throws {
        let graph = try squeezeNet()
        let images = try images(16)
        var expected: [[UInt32]] = []
        for threads in Self.threads {
            let pool = try #require(ThreadPool(count: threads))
            let execution = Execution(workers: pool)
            let weights = PackedWeights()
            func run(_ chosen: [Int], _ division: BatchDivision? = nil) throws -> [[UInt32]] {
                let input = try Tensor(chosen.flatMap { images[$0] }, shape: [chosen.count, 3, 227, 227])
                let plan = try Planner(backends: BackendChain.cpu.backends, threadCount: threads, division: division)
                    .plan(graph, inputShapes: [input.shape], packedWeights: weights)
                #expect(plan.layers.allSatisfy { $0.backend == "cpu" })
                let bits = try execution.run(plan, inputs: [input])[0].elements(as: Float.self).map(\.bitPattern)
                return chosen.indices.map { Array(bits[$0 * 1000..<($0 + 1) * 1000]) }
            }
            if expected.isEmpty { expected = try images.indices.map { try run([$0])[0] } }
            #expect(Set(expected).count == images.count)
            for batch in Self.batches {
                // The images in order, and permuted so that each has another place.
                for chosen in [Array(0..<batch), (0..<batch).map { (15 - $0 * 7) & 15 }] {
                    for (index, bits) in zip(chosen, try run(chosen)) {
                        #expect(bits == expected[index], "\(threads) threads, batch \(chosen), image \(index)")
                    }
                }
                let divided = try run(Array(0..<batch), .images(2))
                #expect(divided == Array(expected[0..<batch]), "\(threads) threads, batch of \(batch) in parts")
            }
        }
    }
}
