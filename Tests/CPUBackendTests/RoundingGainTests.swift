import CPUBackend
import Graphs
import Planning
import Testing

@Suite("Precisions that the processor is no faster in")
struct RoundingGainTests {
    private static let precisions: [ProductPrecision] = [.bfloat16, .emulatedFloat16].filter {
        let isSupported = $0.isSupported(by: .chosen)
        if !isSupported { print("\($0.rawValue) is not tested: the kernels here do not have it") }
        return isSupported
    }

    @Test("Rows are rounded only where the precision is faster", arguments: precisions, [0.25, 1, 2])
    func refusesSlowPrecisions(_ precision: ProductPrecision, gain: Double) throws {
        let graph = try Networks.squeezeNet1_1().seeded(1)
        let backend = CPUBackend(precision: precision, roundingGain: .given(gain))
        let layers = try Planner(backends: [backend, ReferenceBackend()], threadCount: 2)
            .plan(graph, inputShapes: [[1, 3, 224, 224]], packedWeights: PackedWeights()).layers
        let suffix = "-\(precision.rawValue)"
        let rounded = layers.filter { $0.lowering.hasSuffix(suffix) }
        #expect(rounded.isEmpty == (gain <= 1))
        #expect((backend.roundingRefusal == nil) == (gain > 1))
        guard let refusal = backend.roundingRefusal else { return }
        #expect(refusal.hasSuffix(gain < 1 ? "at 25 % of the rate of float32" : "at the rate of float32"))
        let convolution = try #require(layers.first { $0.operatorName.hasPrefix("Conv") })
        let candidates = convolution.considered.filter { $0.lowering.hasSuffix(suffix) }
        #expect(!candidates.isEmpty && candidates.allSatisfy { $0.reason == refusal })
        #expect(layers.allSatisfy { $0.outputType != .bfloat16 })
    }

    @Test("Sets of instructions that share kernels give rows one name")
    func names() {
        for set in [InstructionSet.avx512, .avx512fp16, .amx] {
            #expect(set.computing(in: .float32) == .avx512 && set.computing(in: .bfloat16Weights) == .avx512)
        }
        #expect(InstructionSet.amx.computing(in: .bfloat16) == .amx)
        #expect(InstructionSet.avx512fp16.computing(in: .bfloat16) == .avx512)
        #expect(InstructionSet.avx512fp16.computing(in: .float16) == .avx512fp16)
        #expect(InstructionSet.avx2.computing(in: .float32) == .avx2)
    }
}
