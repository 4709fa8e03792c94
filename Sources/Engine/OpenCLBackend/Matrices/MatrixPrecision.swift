/// The rounding of a matrix product's factors before they are multiplied; sums are always float32.
package enum MatrixPrecision: String, Sendable, CaseIterable {
    case float32 = "f32"
    /// 10 bits after the leading one, on NVIDIA's tensor cores.
    case tf32
    /// float16, on NVIDIA's tensor cores.
    case float16 = "f16"

    var isOnTensorCores: Bool { self != .float32 }
    /// The suffix of names of lowerings.
    var suffix: String { self == .float32 ? "" : "-\(rawValue)" }
}
