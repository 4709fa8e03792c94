import CPUBackend
import Foundation
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Networks of the zoo on the processor", .ownThreads, .serialized)
struct ZooInvarianceTests {
    private static let threads = [1, 2, 3]
    private static let batches = [1, 2, 3, 5, 8, 16]

    /// At the sizes of ``SmallZoo``.
    @Test(
        "An image has the same bits in every batch and on every number of threads",
        arguments: Networks.all.map(\.name))
    func isInvariant(_ name: String) async throws { try await check(name, CPUBackend()) }

    @Test(
        "An image has the same bits in bf16 in every batch and on every number of threads",
        .enabled("the processor multiplies bfloat16") { ProductPrecision.bfloat16.isSupported(by: .chosen) },
        arguments: [
            "squeezenet1_1", "resnet18", "resnet50", "mobilenet_v2", "inception_v1", "efficientnet_b0", "convnext_tiny",
            "yolov8n", "vit_b_16", "swin_t",
        ])
    func isInvariantInBFloat16(_ name: String) async throws { try await check(name, CPUBackend(precision: .bfloat16)) }

    @Test(
        "An image has the same bits in f16 in every batch and on every number of threads",
        arguments: [ProductPrecision.float16, .emulatedFloat16].filter { $0.isSupported(by: .chosen) },
        ["squeezenet1_1", "mobilenet_v2"])
    func isInvariantInFloat16(_ precision: ProductPrecision, _ name: String) async throws {
        try await check(name, CPUBackend(precision: precision))
    }

    private func check(_ name: String, _ backend: CPUBackend) async throws {
        // Runs on a thread of its own, so that it does not block the pool on which tests run.
        let differences = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try Self.differences(name, backend) }) }
        }
        #expect(differences.isEmpty, "seed \(Self.seed): \(differences.joined(separator: "; "))")
    }

    private static let seed: UInt64 = 11

    /// The differences from the results of single images on one thread.
    private static func differences(_ name: String, _ backend: CPUBackend) throws -> [String] {
        let graph = try Rewrites.declutter(SmallZoo.build(name).seeded(5)).graph
        let shape = try #require(graph.inputs.first.flatMap { graph[$0].shape })
        let extents = shape.dimensions.dropFirst().compactMap(\.value)
        let elementCount = extents.reduce(1, *)
        let images = (0..<16).map { image in
            var generator = SplitMix64(seed: seed + UInt64(image))
            return (0..<elementCount).map { _ in Float(generator.nextUnit() * 4 - 2) }
        }
        let weights = PackedWeights()
        var expected: [[UInt32]] = []
        var differences: [String] = []
        for threads in Self.threads {
            let execution = Execution(workers: try #require(ThreadPool(count: threads)))
            func run(_ chosen: [Int]) throws -> [[UInt32]] {
                let input = try Tensor(chosen.flatMap { images[$0] }, shape: [chosen.count] + extents)
                let plan = try Planner(
                    backends: [backend, ReferenceBackend()], threadCount: threads,
                    division: .fitting(cacheByteCount: ProcessorInformation.cacheByteCount(threads: threads))
                ).plan(graph, inputShapes: [input.shape], packedWeights: weights)
                for layer in plan.layers where layer.backend != "cpu" {
                    differences.append("\(layer.name) runs on \(layer.backend)")
                }
                let bits = try execution.run(plan, inputs: [input])[0].elements(as: Float.self).map(\.bitPattern)
                let count = bits.count / chosen.count
                return chosen.indices.map { Array(bits[$0 * count..<($0 + 1) * count]) }
            }
            if expected.isEmpty {
                expected = try images.indices.map { try run([$0])[0] }
                if Set(expected).count != images.count { differences.append("images have the same result") }
            }
            for batch in Self.batches {
                // Begins with the last image, so that an image has another place in each batch.
                let chosen = (0..<batch).map { 15 - $0 }
                for (image, bits) in zip(chosen, try run(chosen)) where bits != expected[image] {
                    differences.append("\(threads) threads, image \(image) in a batch of \(batch)")
                }
            }
        }
        return differences
    }
}
