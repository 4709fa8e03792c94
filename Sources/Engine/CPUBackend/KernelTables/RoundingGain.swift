import CPUKernels

/// How many times as fast as in float32 the processor multiplies numbers that are rounded to a precision.
///
/// The gain of a processor follows from its maker, and is not measured: it decides which kernels a plan has, and so the
/// bits of its results.
package enum RoundingGain: Sendable, BitwiseCopyable {
    /// The gain that the kernels of a precision are written for.
    case expected
    /// The gain of this processor.
    case ofProcessor
    case given(Double)

    /// The gain of a precision; 1 where nothing but weights is rounded.
    func factor(of precision: ProductPrecision, _ instructionSet: InstructionSet) -> Double {
        switch (self, precision) {
        case (_, .float32), (_, .bfloat16Weights), (_, .float16Weights): 1
        case (.given(let gain), _): gain
        // What whole layers reach with tiles, which are seventeen times as fast in registers.
        case (_, .bfloat16) where instructionSet == .amx: 2.4
        // Measured on a core of Emerald Rapids: `vdpbf16ps` 40 thousand million multiply-adds a second, FMA 82, and
        // FMA of float16 167. On Zen 4, `vdpbf16ps` has twice the rate of FMA.
        case (.ofProcessor, .bfloat16) where apus_processor_is_of_intel() != 0: 0.5
        default: 2
        }
    }
}
