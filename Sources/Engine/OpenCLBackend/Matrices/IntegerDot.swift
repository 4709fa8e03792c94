/// How kernels add the products of four bytes: the macro DOT of `dot.cl`.
package enum IntegerDot: Int, Sendable, CaseIterable {
    /// In plain C.
    case plain
    /// By the functions of `cl_khr_integer_dot_product`.
    case packed
    /// By NVIDIA's instruction, in inline PTX.
    case dp4a

    static let packedExtension = "cl_khr_integer_dot_product"

    /// What a device is expected to be able to do, the fastest first; the last is always possible.
    package static func candidates(_ device: DeviceInformation) -> [IntegerDot] {
        (device.maker == .nvidia && device.kind == .gpu ? [.dp4a] : [])
            + (device.extensions.contains(packedExtension) ? [.packed] : []) + [.plain]
    }

    /// The products of four bytes per multiply-add of float32. NVIDIA's multiprocessors issue half as many `dp4a`;
    /// plain C takes two shifts and an integer multiply-add for each byte.
    func rate(_ device: DeviceInformation) -> Double {
        switch self {
        case .dp4a, .packed: 0.5
        case .plain: device.kind == .processor ? 0.08 : 0.1
        }
    }

    /// The macros of `dot.cl`.
    func macros(isSigned: Bool) -> [String: String] { ["DOT": "\(rawValue)", "SIGNED": isSigned ? "1" : "0"] }
}
