import CPUKernels
import Glibc
import Synchronization

/// A set of vector instructions for which the kernels have a variant.
package enum InstructionSet: String, CaseIterable, Sendable, BitwiseCopyable {
    /// The instructions that every processor of the architecture has.
    case baseline
    /// AVX2 with FMA.
    case avx2
    /// AVX-512 F, BW, DQ and VL.
    case avx512
    /// The kernels of AVX-512, and products of float16 by its arithmetic of float16.
    case avx512fp16
    /// The kernels of AVX-512, but for products of bfloat16, which are those of AMX.
    case amx
    case neon

    /// The sets that this processor runs and this build has kernels for, the widest last.
    package static let available: [InstructionSet] = allCases.filter {
        apus_processor_supports($0.cValue) != 0 && apus_gemm_kernel_for($0.cValue) != nil
            && ($0 != .avx512fp16 || $0.computesInFloat16) && ($0 != .amx || $0.storesBFloat16)
    }

    /// A set that was asked for, and by whom.
    private struct Request {
        let name: String
        let origin: String
    }

    /// The request that comes before that of the environment variable `APUS_INSTRUCTIONS`.
    private static let asked = Mutex<Request?>(nil)

    /// The request when kernels were first used.
    private static let request: Request? =
        asked.withLock { $0 }
        ?? getenv("APUS_INSTRUCTIONS").map { String(cString: $0) }.flatMap {
            $0.isEmpty ? nil : Request(name: $0, origin: "APUS_INSTRUCTIONS")
        }

    /// The set that kernels use: the requested one, where it is available; otherwise the widest one.
    package static let chosen: InstructionSet =
        available.first { $0.rawValue == request?.name } ?? available.last ?? .baseline

    /// Why the requested set cannot be used; nil when it can, or when none is requested.
    package static let refusal: String? = {
        guard let request, request.name != chosen.rawValue else { return nil }
        return absence(of: request.name, request.origin)
    }()

    private static func absence(of name: String, _ origin: String) -> String {
        "\(origin) asks for \(name), but this processor and build have "
            + available.map(\.rawValue).joined(separator: ", ")
    }

    /// Asks for a set for the whole process, before kernels are used.
    ///
    /// - Parameter origin: Who asks, for messages.
    /// - Returns: Why the set is not used; nil when it is.
    package static func ask(for name: String, origin: String) -> String? {
        guard available.contains(where: { $0.rawValue == name }) else { return absence(of: name, origin) }
        asked.withLock { $0 = $0 ?? Request(name: name, origin: origin) }
        guard chosen.rawValue != name else { return nil }
        return "\(origin) asks for \(name), but the process uses \(chosen.rawValue) already"
    }

    /// The set whose kernels compute in a precision. Rows of sets with the same kernels have the same bits.
    package func computing(in precision: ProductPrecision) -> InstructionSet {
        switch (self, precision) {
        case (.amx, .bfloat16): .amx
        case (.amx, .float16) where computesInFloat16: .avx512fp16
        case (.avx512fp16, .float16): .avx512fp16
        case (.amx, _), (.avx512fp16, _): .avx512
        default: self
        }
    }

    package var cValue: apus_instructions {
        switch self {
        case .baseline: APUS_INSTRUCTIONS_BASELINE
        case .avx2: APUS_INSTRUCTIONS_AVX2
        case .avx512, .avx512fp16: APUS_INSTRUCTIONS_AVX512
        case .amx: APUS_INSTRUCTIONS_AMX
        case .neon: APUS_INSTRUCTIONS_NEON
        }
    }

    /// Whether kernels of the set read and write values in bfloat16.
    var storesBFloat16: Bool { apus_bfloat16_kernel_for(cValue) != nil }

    /// Whether kernels of the set have products in float16.
    var computesInFloat16: Bool { self != .avx512 && apus_float16_kernel_for(cValue) != nil }

    /// The approximate multiply-adds per microsecond of a product of large matrices on one core.
    var multiplyAddsPerMicrosecond: Double {
        switch self {
        case .baseline: 9_000
        case .avx2: 43_000
        case .avx512, .avx512fp16, .amx: 80_000
        case .neon: 20_000
        }
    }
}
