import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Pixels whose addresses would crowd a cache's sets lie apart", .ownThreads)
struct PixelSpacingTests {
    typealias Layers = @Sendable (GraphBuilder.Value) -> GraphBuilder.Value

    /// Layers that read and write values of many channels, by name.
    private static let readers: [(name: String, layers: Layers)] = [
        ("Conv 1×1", { $0.convolution(24, kernel: 1) }),
        ("Conv 3×3", { $0.convolution(24, kernel: 3, padding: .same) }),
        ("Conv of every second pixel", { $0.convolution(1024, kernel: 1, stride: 2).relu() }),
        ("depthwise Conv", { $0.depthwiseConvolution(kernel: 3, padding: .same).relu6() }),
        ("MaxPool", { $0.maxPool(3, stride: 2) }),
        ("AveragePool", { $0.averagePool(2, stride: 2) }),
        ("GlobalAveragePool", { $0.globalAveragePool() }),
        ("BatchNormalization", { $0.maxPool(2).batchNormalization() }),
        ("LRN", { $0.maxPool(2).localResponseNormalization() }),
        ("Add and Sigmoid", { ($0.maxPool(1) + $0.sigmoid()).hardSwish() }),
        ("Concat", { $0.maxPool(1).concat(with: $0.convolution(512, kernel: 1)).convolution(8, kernel: 1) }),
        ("Resize", { $0.upsample(2) }),
        ("Softmax", { $0.softmax(axis: 1) }),
        ("Flatten", { $0.flatten().linear(5) }),
    ]

    private func plan(_ backend: any Backend, _ graph: Graph, _ images: Int) throws -> Plan {
        try Planner(backends: [backend], threadCount: 2)
            .plan(graph, inputShapes: [[images, 6, 9, 11]], packedWeights: PackedWeights())
    }

    @Test("Every layer reads and writes spaced pixels as dense ones", arguments: readers.indices)
    func isExact(index: Int) throws {
        let reader = Self.readers[index]
        let built = try Graph.build(reader.name) { net in
            let image = net.input("image", .float32, [.batch, 6, 9, 11])
            net.output("result", reader.layers(image.convolution(512, kernel: 1).relu()))
        }
        let graph = try Rewrites.declutter(built.seeded(11)).graph
        var generator = SplitMix64(seed: 12)
        let input = try Tensor(
            (0..<3 * 6 * 9 * 11).map { _ in Float.random(in: -1...1, using: &generator) }, shape: [3, 6, 9, 11])
        let expected = try plan(ReferenceBackend(), graph, 3).outputs([input])[0].elements(as: Float.self)
        let found = try plan(CPUBackend(), graph, 3).outputs([input])[0].elements(as: Float.self)
        let size = expected.map(abs).max() ?? 0
        #expect(found.count == expected.count)
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1e-5 * size }, "\(reader.name)")
    }

    @Test("2,048 bytes of channels are spaced, 2,000 are not", arguments: [(512, 528), (500, 500)])
    func takesMemory(channels: Int, distance: Int) throws {
        let graph = try Graph.build("two convolutions") { net in
            let image = net.input("image", .float32, [.batch, 6, 9, 11])
            net.output("result", image.convolution(channels, kernel: 1).convolution(8, kernel: 1))
        }
        let plan = try plan(CPUBackend(), graph.seeded(1), 1)
        let bytes = 9 * 11 * MemoryLayout<Float>.stride
        #expect((distance * bytes..<(distance + 16) * bytes).contains(plan.arenaByteCount - 8 * bytes))
    }
}
