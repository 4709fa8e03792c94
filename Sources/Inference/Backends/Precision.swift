import OpenCLBackend

/// How operands of matrix products may be rounded on a GPU. The processor computes in float32, and sums are float32
/// everywhere.
public enum Precision: String, Sendable, CaseIterable, Codable {
    /// Not at all: float32.
    case f32
    /// To 10 bits after the leading one with the range of float32, on the tensor cores of NVIDIA's GPUs.
    case tf32
    /// To float16, on the tensor cores of NVIDIA's GPUs.
    case f16

    /// The precision as kernels name it.
    var ofProducts: MatrixPrecision {
        switch self {
        case .f32: .float32
        case .tf32: .tf32
        case .f16: .float16
        }
    }
}
