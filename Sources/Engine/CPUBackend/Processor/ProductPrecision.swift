import CPUKernels

/// What the processor rounds the rows and weights of products to. Sums are float32, apart from the short ones of
/// ``float16``.
package enum ProductPrecision: String, Sendable, BitwiseCopyable, CaseIterable {
    /// Nothing is rounded.
    case float32 = "f32"
    /// bfloat16, where the processor multiplies it.
    case bfloat16 = "bf16"
    /// float16, where the processor computes in it.
    case float16 = "f16"
    /// The same bits in arithmetic of float32, slowly. Only tests ask for it.
    case emulatedFloat16 = "f16-emulated"
    /// Weights are rounded to bfloat16 where reading them takes longest; everything is computed in float32.
    case bfloat16Weights = "bf16-weights"
    /// Weights are rounded to float16 in the same places.
    case float16Weights = "f16-weights"

    /// The precision that rounds weights alone to the same numbers.
    var ofWeights: ProductPrecision {
        switch self {
        case .float32: .float32
        case .bfloat16, .bfloat16Weights: .bfloat16Weights
        case .float16, .emulatedFloat16, .float16Weights: .float16Weights
        }
    }

    /// Whether the processor's kernels of an instruction set have the precision.
    package func isSupported(by instructionSet: InstructionSet) -> Bool {
        switch self {
        case .float32: true
        case .bfloat16Weights: apus_gemm_of_pairs_for(instructionSet.cValue) != nil
        case .float16Weights: apus_gemm_of_halves_for(instructionSet.cValue) != nil
        case .bfloat16: apus_bfloat16_kernel_for(instructionSet.cValue) != nil
        case .float16: instructionSet.computesInFloat16
        case .emulatedFloat16: apus_float16_emulation() != nil
        }
    }
}
