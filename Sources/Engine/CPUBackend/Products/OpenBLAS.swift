import COpenBLAS
import Glibc
import Tensors

/// Calls OpenBLAS with one thread per call; the engine's own threads make calls at the same time.
struct OpenBLAS: BitwiseCopyable, @unchecked Sendable {
    // A constant table of C functions, which any thread may call.
    private let functions: apus_openblas

    /// Opens a library by its file name, or says what is missing.
    init(_ library: String) throws(OpenBLASBackend.Absence) {
        var functions = apus_openblas()
        // It starts as many threads as the variable says when it is loaded; those that a host does not limit sleep.
        let problem = ProcessEnvironment.setting(["OPENBLAS_NUM_THREADS": "1"]) {
            apus_openblas_load(&functions, library)
        }
        if let problem {
            throw OpenBLASBackend.Absence(problem: String(cString: problem))
        }
        Self.chooseKernels(functions)
        functions.openblas_set_num_threads(1)
        self.functions = functions
    }

    /// The library's description of its version, options and kernels.
    var configuration: String {
        let words = Self.text(functions.openblas_get_config()).split(separator: " ")
        return "\(words.prefix(2).joined(separator: " ")), \(Self.text(functions.openblas_get_corename())) kernels"
    }

    private static func text(_ bytes: UnsafePointer<CChar>?) -> String { bytes.map(String.init(cString:)) ?? "" }

    /// Chooses kernels for the processor's instructions where the library is older than the processor and fell back to
    /// kernels of 2004. If `OPENBLAS_CORETYPE` is set, it decides instead; in a host's process, nothing else does.
    private static func chooseKernels(_ functions: apus_openblas) {
        let core: String
        switch InstructionSet.chosen {
        case .avx512, .avx512fp16, .amx: core = "SkylakeX"
        case .avx2: core = "Haswell"
        default: return
        }
        guard ProcessEnvironment.canBeSet, getenv("OPENBLAS_CORETYPE") == nil,
            text(functions.openblas_get_corename()) == "Prescott"
        else { return }
        // The library reads the variable when it is loaded, and again here. Builds for a single processor lack these
        // functions.
        guard let quit = functions.gotoblas_dynamic_quit, let initialize = functions.gotoblas_dynamic_init else {
            return
        }
        ProcessEnvironment.setting(["OPENBLAS_CORETYPE": core]) {
            quit()
            initialize()
        }
    }

    /// c = a · b, all row-major: a is rows × depth, b depth × columns, strides between rows in elements.
    func multiply(
        rows: Int, columns: Int, depth: Int, _ a: UnsafePointer<Float>, aStride: Int, _ b: UnsafePointer<Float>,
        bStride: Int, into c: UnsafeMutablePointer<Float>, cStride: Int
    ) {
        functions.cblas_sgemm(
            Self.rowMajor, Self.asItIs, Self.asItIs, Int32(rows), Int32(columns), Int32(depth), 1, a, Int32(aStride), b,
            Int32(bStride), 0, c, Int32(cStride))
    }

    /// c = alpha · a · b + beta · c for some rows and columns. A product of one row is that of a vector.
    func multiply(
        _ product: StridedProduct, rows: Int, columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>
    ) {
        if product.rows == 1 { return multiplyRow(product, columns: columns, a, b, into: c) }
        // With a single row or column, its stride may have any value, but the library requires a minimum.
        let leftStride =
            product.isLeftTransposed ? max(product.leftColumnStride, rows) : max(product.leftRowStride, product.depth)
        functions.cblas_sgemm(
            Self.rowMajor, product.isLeftTransposed ? Self.transposed : Self.asItIs,
            product.isRightTransposed ? Self.transposed : Self.asItIs, Int32(rows), Int32(columns),
            Int32(product.depth), product.alpha, a, Int32(leftStride), b, Int32(product.rightStride), product.beta, c,
            Int32(max(product.resultStride, columns)))
    }

    private func multiplyRow(
        _ product: StridedProduct, columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>
    ) {
        let (rows, length) = product.isRightTransposed ? (columns, product.depth) : (product.depth, columns)
        functions.cblas_sgemv(
            Self.rowMajor, product.isRightTransposed ? Self.asItIs : Self.transposed, Int32(rows), Int32(length),
            product.alpha, b, Int32(product.rightStride), a, Int32(product.leftColumnStride), product.beta, c, 1)
    }

    private static let rowMajor = Int32(apus_openblas_row_major)
    private static let asItIs = Int32(apus_openblas_as_it_is)
    private static let transposed = Int32(apus_openblas_transposed)

    /// Whether every extent fits in the library's integers.
    static func accepts(_ extents: Int...) -> Bool {
        extents.allSatisfy { $0 >= 0 && $0 <= Int(Int32.max) }
    }
}
