import OpenCLKernels

/// The parts of a program: the common beginning, and files of kernels.
package enum KernelSource: Sendable, Hashable, CaseIterable {
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

    /// The files behind the common beginning, in the order in which they need one another.
    package var files: [String] {
        switch self {
        case .attention: ["attention"]
        case .convolution: Self.tiles + ["patches", "convolution"]
        case .copy: ["walk", "copy"]
        case .depthwise: ["depthwise"]
        case .dot: ["dot"]
        case .elementwise: ["walk", "stages", "elementwise"]
        case .gemm: Self.tiles + ["gemm"]
        case .integerConvolution: Self.integerTiles + ["patches", "integer_convolution"]
        case .integerDepthwise: ["dot", "integer_depthwise"]
        case .integerElementwise: ["walk", "dot", "integer_elementwise"]
        case .integerGEMM: Self.integerTiles + ["integer_gemm"]
        case .integerPooling: ["dot", "integer_pooling"]
        case .integerResize: ["dot", "integer_resize"]
        case .integerRows: ["dot", "integer_rows"]
        case .limits: ["limits"]
        case .nibbles: ["nibbles"]
        case .normalization: ["normalization"]
        case .packWords: ["pack_words"]
        case .parts: ["parts"]
        case .pooling: ["pooling"]
        case .quantization: ["quantization"]
        case .reduction: ["walk", "reduction"]
        case .resize: ["resize"]
        case .search: ["walk", "search"]
        case .windows: ["windows"]
        case .winograd: ["winograd"]
        case .stagedIntegerConvolution: ["stages"] + Self.integerConvolution.files
        case .stagedIntegerDepthwise: ["stages"] + Self.integerDepthwise.files
        case .stagedTensorIntegerConvolution: ["stages"] + Self.tensorIntegerConvolution.files
        case .tensorAttention: ["tensor", "tensor_attention"]
        case .tensorConvolution: Self.tensorTiles + ["patches", "convolution"]
        case .tensorGEMM: Self.tensorTiles + ["gemm"]
        case .tensorIntegerConvolution:
            Self.tensorIntegerTiles + ["patches", "integer_convolution"]
        case .tensorIntegerGEMM: Self.tensorIntegerTiles + ["integer_gemm"]
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

    private static let tiles = ["product", "tile", "staging"]
    private static let integerTiles = [
        "dot", "integer_product", "integer_tile", "staging",
        "integer_results",
    ]
    private static let tensorIntegerTiles = [
        "dot", "tensor", "integer_product", "integer_tensor_tile",
        "staging", "integer_results",
    ]

    private static let tensorTiles = ["tensor", "product", "tensor_tile"]

    /// The program's text.
    ///
    /// - Parameter macros: Macros defined before everything else. A name such as `F(x)` takes arguments.
    package func text(_ macros: [String: String]) -> String {
        let definitions = macros.sorted { $0.key < $1.key }.map { "#define \($0.key) \($0.value)\n" }
        return (definitions + (["common"] + files).map { Self.text(ofFile: $0) }).joined()
    }

    /// The text of a file; a line that no compiler accepts when there is none.
    private static func text(ofFile name: String) -> String {
        apus_opencl_text(name).map { String(cString: $0) } ?? "#error there is no file \(name).cl\n"
    }
}
