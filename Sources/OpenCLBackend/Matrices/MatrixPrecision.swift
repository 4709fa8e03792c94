/// How the numbers of a matrix product are rounded before they are multiplied; sums are always float32.
package enum MatrixPrecision: String, Sendable, CaseIterable {
    case float32 = "f32"
    /// 10 bits after the leading one, on NVIDIA's tensor cores.
    case tf32
    /// float16, on NVIDIA's tensor cores.
    case float16 = "f16"

    var isOnTensorCores: Bool { self != .float32 }
    /// What names of lowerings end with.
    var suffix: String { self == .float32 ? "" : "-\(rawValue)" }
}
