import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Networks of the zoo on an OpenCL device", .ownThreads, .enabled(if: !BackendChain.openCL.isEmpty), .serialized)
struct OpenCLZooTests {
    private static let seed: UInt64 = 11

    /// All networks except those that take long on a processor, at the sizes of ``SmallZoo``.
    private static let names = Networks.all.map(\.name).filter { !$0.hasPrefix("vgg") }

    /// What devices have no kernels for: the class token's row, rolled windows, enlarged images, and attention with a
    /// bias that differs from window to window.
    private static let withoutKernel: Set = ["DepthToSpace", "Gather", "ScaledDotProductAttention", "Slice"]

    @Test("A network gives on the device what it gives on the processor", arguments: names)
    func agrees(_ name: String) throws {
        let graph = try Rewrites.declutter(SmallZoo.build(name).seeded(5)).graph
        let shape = try #require(graph.inputs.first.flatMap { graph[$0].shape })
        let extents = [2] + shape.dimensions.dropFirst().compactMap(\.value)
        var generator = SplitMix64(seed: Self.seed)
        let input = try Tensor(
            (0..<extents.reduce(1, *)).map { _ in Float(generator.nextUnit() * 4 - 2) }, shape: extents)
        let plan = try #require(BackendChain.openCL.first).plan(graph, for: [input])
        let left = plan.layers.filter {
            $0.backend != "opencl" && $0.lowering != "view" && !Self.withoutKernel.contains($0.operatorName)
        }
        #expect(left.isEmpty, "\(left.map { "\($0.name) runs on \($0.backend)" })")
        let expected = try BackendChain.cpu.plan(graph, for: [input]).outputs([input])[0]
        let difference = TensorComparison(
            try plan.outputs([input])[0], expected, relative: 1e-3, absolute: 1e-5
        ).difference
        #expect(difference == nil, "seed \(Self.seed): \(difference ?? "")")
    }
}
