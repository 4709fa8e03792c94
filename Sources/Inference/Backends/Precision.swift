import OpenCLBackend

/// The precision to which a GPU may round the operands of matrix products. The processor computes in float32, and sums
/// are float32 everywhere.
public enum Precision: String, Sendable, CaseIterable, Codable {
    /// Float32: operands are not rounded.
    case f32
    /// TensorFloat-32: 10 bits of mantissa and the range of float32, on the tensor cores of NVIDIA's GPUs.
    case tf32
    /// Float16, on the tensor cores of NVIDIA's GPUs.
    case f16

    /// The same precision as a kernel option.
    var ofProducts: MatrixPrecision {
        switch self {
        case .f32: .float32
        case .tf32: .tf32
        case .f16: .float16
        }
    }
}
