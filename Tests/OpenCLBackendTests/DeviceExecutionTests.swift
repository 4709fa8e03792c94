import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Runs on a device", .ownThreads, .enabled(if: TestDevice.isPresent))
struct DeviceExecutionTests {
    /// Convolutions, activations that cannot be fused into them, a concatenation and a view.
    static func network() throws -> Graph {
        try Graph.build("mixed") { net in
            let image = net.input("image", .float32, [.batch, 3, 12, 10])
            let a = image.relu().convolution(6, kernel: 3).relu()
            let b = a.convolution(4, kernel: 1)
            let c = net.concat([a.averagePool(3, padding: .same), b.relu()])
            net.output("scores", c.relu().globalAveragePool().flatten().linear(5))
            net.output("features", c)
        }.seeded(3)
    }

    static func input(_ shape: [Int], seed: UInt64 = 1) throws -> Tensor {
        var generator = SplitMix64(seed: seed)
        let count = shape.reduce(1, *)
        return try Tensor((0..<count).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
    }

    @Test("What can run on the device does, and gives what the processor gives")
    func agrees() throws {
        let device = try #require(TestDevice.shared)
        let graph = try Self.network()
        let image = try Self.input([2, 3, 12, 10])
        let plan = try TestDevice.planner(device).plan(
            graph, inputShapes: [image.shape], packedWeights: PackedWeights())
        #expect(plan.devicePart != nil)
        let workers = try #require(ThreadPool(count: 2))
        let execution = Execution(workers: workers)
        let expected = try Execution(workers: workers).run(
            Planner(backends: [ReferenceBackend()], threadCount: 1).plan(
                graph, inputShapes: [image.shape], packedWeights: PackedWeights()), inputs: [image])
        for _ in 0..<3 {
            let outputs = try execution.run(plan, inputs: [image])
            for (output, expected) in zip(outputs, expected) {
                let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
                #expect(pairs.allSatisfy { abs($0 - $1) <= 1e-5 + 1e-3 * abs($1) })
            }
        }
    }
}
