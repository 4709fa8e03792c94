import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Values of batch 1 among values of the whole batch", .ownThreads)
struct BatchOfOneTests {
    /// A convolution of at most 4 channels, which can read planes or pixels. Its input is the sum of a value in planes,
    /// which is the same for every image, and a value in pixels.
    private func network() throws -> Graph {
        try Graph.build("joined") { net in
            let image = net.input("image", .float32, [.batch, 3, 9, 9])
            let mask = net.input("mask", .float32, [1, 3, 9, 9])
            let features = image.convolution(8, kernel: 3, padding: .same).relu().convolution(3, kernel: 1).sigmoid()
            net.output("y", (mask + features).convolution(70, kernel: 3))
            net.output("z", (features + mask).convolution(70, kernel: 3))
        }.seeded(5)
    }

    private func tensor(_ shape: [Int], seed: UInt64) throws -> Tensor {
        var generator = SplitMix64(seed: seed)
        return try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
    }

    @Test("An image has the same bits alone and in a batch", arguments: [BackendChain.cpu] + BackendChain.openBLAS)
    func isInvariant(_ chain: BackendChain) throws {
        let graph = try network()
        let images = try tensor([4, 3, 9, 9], seed: 1)
        let mask = try tensor([1, 3, 9, 9], seed: 2)
        func run(_ range: Range<Int>) throws -> [[UInt32]] {
            let inputs = [try images.sliced(axis: 0, range).contiguous(), mask]
            return try chain.plan(graph, for: inputs).outputs(inputs).flatMap { output in
                try range.indices.map { index in
                    let image = index - range.lowerBound
                    return try output.sliced(axis: 0, image..<image + 1).elements(as: Float.self).map(\.bitPattern)
                }
            }
        }
        for range in [0..<2, 1..<4, 0..<4] {
            let together = try run(range)
            for (position, image) in range.enumerated() {
                let alone = try run(image..<image + 1)
                #expect(together[position] == alone[0], "y, image \(image) of \(range)")
                #expect(together[range.count + position] == alone[1], "z, image \(image) of \(range)")
            }
        }
    }
}
