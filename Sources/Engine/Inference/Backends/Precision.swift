import CPUBackend
import OpenCLBackend

/// The precision to which operands of convolutions and matrix products may be rounded. Sums are float32, apart from
/// those of 32 products in ``f16`` on the processor, and so are all other layers and the last layer. Values between
/// layers are float32, except in ``bf16``.
public enum Precision: String, Sendable, CaseIterable, Codable {
    /// Float32: operands are not rounded.
    case f32
    /// TensorFloat-32: 10 bits of mantissa and the range of float32, on the tensor cores of NVIDIA's GPUs.
    case tf32
    /// Float16, on the tensor cores of NVIDIA's GPUs, and on processors with AVX512-FP16 or Arm's FP16. Other
    /// processors compute in float32, except where `cpu` is named without a GPU: making a session then fails. Making a
    /// plan for a processor with FP16 fails where a weight is beyond ±65504.
    case f16

    /// bfloat16: 8 bits of mantissa and the range of float32, on processors that multiply it (AVX-512 BF16, and BF16
    /// of Arm). Values between layers are rounded, too. Denormals count as zeros. A processor that multiplies bfloat16
    /// no faster than float32 computes as in ``bf16Weights``.
    case bf16

    /// Weights in bfloat16 and arithmetic in float32, on every processor, for layers whose weights take longer to read
    /// than to multiply.
    case bf16Weights = "bf16-weights"

    /// Weights in float16 and arithmetic in float32, for the same layers. A network whose file has float16 weights
    /// loses nothing. Making a plan fails where a weight is beyond ±65504.
    case f16Weights = "f16-weights"

    /// bfloat16, or float16 where the processor multiplies it faster, in the layers that `Model.choosePrecisions` chose
    /// on pictures, and float32 in the others. Making a session fails where no choice is kept for the network.
    case automatic = "auto"

    /// What the processor must have, as a phrase.
    var requirement: String {
        switch self {
        case .f16: "a processor with AVX512-FP16, an Arm processor with FP16, or a GPU"
        case .f16Weights: "kernels of avx2, avx512 or neon"
        case .automatic: "a processor with AVX-512 BF16 or AVX512-FP16, or an Arm processor with BF16 or FP16"
        default: "a processor with AVX-512 BF16 and kernels of avx512, or an Arm processor with BF16"
        }
    }

    /// What the processor rounds to; it computes in float32 where the precision is one of GPUs.
    var ofProcessor: ProductPrecision {
        switch self {
        case .bf16, .automatic: .bfloat16
        case .bf16Weights: .bfloat16Weights
        case .f16: .float16
        case .f16Weights: .float16Weights
        case .f32, .tf32: .float32
        }
    }

    /// The same precision as a kernel option of a GPU.
    var ofProducts: MatrixPrecision {
        switch self {
        case .f32, .bf16, .bf16Weights, .f16Weights, .automatic: .float32
        case .tf32: .tf32
        case .f16: .float16
        }
    }
}
