import OpenCLKernels

/// The parts of a program: the common beginning, and files of kernels.
package enum KernelSource: Sendable, Hashable {
    case attention, convolution, copy, depthwise, dot, elementwise, gemm, limits, normalization, parts, pooling
    case reduction, resize, search, windows, winograd
    /// Layers of 8-bit integers.
    case integerConvolution, integerDepthwise, integerElementwise, integerGEMM, integerPooling, integerResize
    case integerRows, packWords, quantization
    /// Convolutions of 8-bit integers whose results go through stages.
    case stagedIntegerConvolution, stagedIntegerDepthwise, stagedTensorIntegerConvolution
    /// Products with weights of 4 bits.
    case nibbles
    /// Products and attention on NVIDIA's tensor cores.
    case tensorAttention, tensorConvolution, tensorGEMM, tensorIntegerConvolution, tensorIntegerGEMM

    private var files: [apus_opencl_file] {
        switch self {
        case .attention: [APUS_OPENCL_ATTENTION]
        case .convolution: Self.tiles + [APUS_OPENCL_PATCHES, APUS_OPENCL_CONVOLUTION]
        case .copy: [APUS_OPENCL_WALK, APUS_OPENCL_COPY]
        case .depthwise: [APUS_OPENCL_DEPTHWISE]
        case .dot: [APUS_OPENCL_DOT]
        case .elementwise: [APUS_OPENCL_WALK, APUS_OPENCL_STAGES, APUS_OPENCL_ELEMENTWISE]
        case .gemm: Self.tiles + [APUS_OPENCL_GEMM]
        case .integerConvolution: Self.integerTiles + [APUS_OPENCL_PATCHES, APUS_OPENCL_INTEGER_CONVOLUTION]
        case .integerDepthwise: [APUS_OPENCL_DOT, APUS_OPENCL_INTEGER_DEPTHWISE]
        case .integerElementwise: [APUS_OPENCL_WALK, APUS_OPENCL_DOT, APUS_OPENCL_INTEGER_ELEMENTWISE]
        case .integerGEMM: Self.integerTiles + [APUS_OPENCL_INTEGER_GEMM]
        case .integerPooling: [APUS_OPENCL_DOT, APUS_OPENCL_INTEGER_POOLING]
        case .integerResize: [APUS_OPENCL_DOT, APUS_OPENCL_INTEGER_RESIZE]
        case .integerRows: [APUS_OPENCL_DOT, APUS_OPENCL_INTEGER_ROWS]
        case .limits: [APUS_OPENCL_LIMITS]
        case .nibbles: [APUS_OPENCL_NIBBLES]
        case .normalization: [APUS_OPENCL_NORMALIZATION]
        case .packWords: [APUS_OPENCL_PACK_WORDS]
        case .parts: [APUS_OPENCL_PARTS]
        case .pooling: [APUS_OPENCL_POOLING]
        case .quantization: [APUS_OPENCL_QUANTIZATION]
        case .reduction: [APUS_OPENCL_WALK, APUS_OPENCL_REDUCTION]
        case .resize: [APUS_OPENCL_RESIZE]
        case .search: [APUS_OPENCL_WALK, APUS_OPENCL_SEARCH]
        case .windows: [APUS_OPENCL_WINDOWS]
        case .winograd: [APUS_OPENCL_WINOGRAD]
        case .stagedIntegerConvolution: [APUS_OPENCL_STAGES] + Self.integerConvolution.files
        case .stagedIntegerDepthwise: [APUS_OPENCL_STAGES] + Self.integerDepthwise.files
        case .stagedTensorIntegerConvolution: [APUS_OPENCL_STAGES] + Self.tensorIntegerConvolution.files
        case .tensorAttention: [APUS_OPENCL_TENSOR, APUS_OPENCL_TENSOR_ATTENTION]
        case .tensorConvolution: Self.tensorTiles + [APUS_OPENCL_PATCHES, APUS_OPENCL_CONVOLUTION]
        case .tensorGEMM: Self.tensorTiles + [APUS_OPENCL_GEMM]
        case .tensorIntegerConvolution:
            Self.tensorIntegerTiles + [APUS_OPENCL_PATCHES, APUS_OPENCL_INTEGER_CONVOLUTION]
        case .tensorIntegerGEMM: Self.tensorIntegerTiles + [APUS_OPENCL_INTEGER_GEMM]
        }
    }

    package var isOnTensorCores: Bool {
        switch self {
        case .stagedTensorIntegerConvolution, .tensorAttention, .tensorConvolution, .tensorGEMM,
            .tensorIntegerConvolution, .tensorIntegerGEMM:
            true
        default: false
        }
    }

    private static let tiles = [APUS_OPENCL_PRODUCT, APUS_OPENCL_TILE, APUS_OPENCL_STAGING]
    private static let integerTiles = [
        APUS_OPENCL_DOT, APUS_OPENCL_INTEGER_PRODUCT, APUS_OPENCL_INTEGER_TILE, APUS_OPENCL_STAGING,
        APUS_OPENCL_INTEGER_RESULTS,
    ]
    private static let tensorIntegerTiles = [
        APUS_OPENCL_DOT, APUS_OPENCL_TENSOR, APUS_OPENCL_INTEGER_PRODUCT, APUS_OPENCL_INTEGER_TENSOR_TILE,
        APUS_OPENCL_STAGING, APUS_OPENCL_INTEGER_RESULTS,
    ]

    private static let tensorTiles = [APUS_OPENCL_TENSOR, APUS_OPENCL_PRODUCT, APUS_OPENCL_TENSOR_TILE]

    /// The program's text.
    ///
    /// - Parameter macros: Macros defined before everything else. A name such as `F(x)` takes arguments.
    package func text(_ macros: [String: String]) -> String {
        let definitions = macros.sorted { $0.key < $1.key }.map { "#define \($0.key) \($0.value)\n" }
        return (definitions + ([APUS_OPENCL_COMMON] + files).map { String(cString: apus_opencl_text($0)) }).joined()
    }
}
