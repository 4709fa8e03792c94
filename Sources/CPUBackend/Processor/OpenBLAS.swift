import COpenBLAS
import CPUKernels
import Glibc

/// Calls OpenBLAS with one thread per call; the engine's own threads make calls at the same time.
enum OpenBLAS {
    /// The library's description of its version, options and kernels.
    static let configuration: String = {
        start()
        let words = String(cString: openblas_get_config()).split(separator: " ")
        return "\(words.prefix(2).joined(separator: " ")), \(String(cString: openblas_get_corename())) kernels"
    }()

    private static let started: Void = {
        chooseKernels()
        // OpenBLAS's own threaded products serialise on a lock.
        openblas_set_num_threads(1)
    }()

    /// Prepares the library; must be called before the first product.
    static func start() { _ = started }

    /// Chooses kernels for the processor's instructions where the library is older than the processor and fell back to
    /// kernels of 2004. If `OPENBLAS_CORETYPE` is set, it decides instead.
    private static func chooseKernels() {
        let core: String
        switch InstructionSet.chosen {
        case .avx512: core = "SkylakeX"
        case .avx2: core = "Haswell"
        default: return
        }
        guard getenv("OPENBLAS_CORETYPE") == nil, String(cString: openblas_get_corename()) == "Prescott" else { return }
        // The library reads the variable when it is loaded, and again here. Builds for a single processor lack these
        // functions.
        typealias Function = @convention(c) () -> Void
        guard let quit = dlsym(nil, "gotoblas_dynamic_quit"), let initialize = dlsym(nil, "gotoblas_dynamic_init")
        else {
            return
        }
        setenv("OPENBLAS_CORETYPE", core, 1)
        unsafeBitCast(quit, to: Function.self)()
        unsafeBitCast(initialize, to: Function.self)()
        unsetenv("OPENBLAS_CORETYPE")
    }

    /// c = a · b, all row-major: a is rows × depth, b depth × columns, strides between rows in elements.
    static func multiply(
        rows: Int, columns: Int, depth: Int, _ a: UnsafePointer<Float>, aStride: Int, _ b: UnsafePointer<Float>,
        bStride: Int, into c: UnsafeMutablePointer<Float>, cStride: Int
    ) {
        cblas_sgemm(
            CblasRowMajor, CblasNoTrans, CblasNoTrans, blasint(rows), blasint(columns), blasint(depth), 1, a,
            blasint(aStride), b, blasint(bStride), 0, c, blasint(cStride))
    }

    /// The parameters that several products share: c = alpha · a · b + beta · c, strides in elements.
    struct Product: BitwiseCopyable {
        let depth: Int
        var alpha: Float = 1
        var beta: Float = 0
        /// Elements between the rows, and between the columns, of a; one of them is 1.
        let leftRowStride: Int
        var leftColumnStride = 1
        /// Elements between the rows of b as it lies in memory.
        let rightStride: Int
        var isRightTransposed = false
        let resultStride: Int
    }

    /// c = alpha · a · b + beta · c for several rows.
    static func multiply(
        _ product: Product, rows: Int, columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>
    ) {
        let isLeftTransposed = product.leftColumnStride != 1
        // With a single row or column, its stride may have any value, but the library requires a minimum.
        let leftStride =
            isLeftTransposed ? max(product.leftColumnStride, rows) : max(product.leftRowStride, product.depth)
        cblas_sgemm(
            CblasRowMajor, isLeftTransposed ? CblasTrans : CblasNoTrans,
            product.isRightTransposed ? CblasTrans : CblasNoTrans, blasint(rows), blasint(columns),
            blasint(product.depth), product.alpha, a, blasint(leftStride), b, blasint(product.rightStride),
            product.beta, c, blasint(max(product.resultStride, columns)))
    }

    /// Computes c = alpha · a · b + beta · c for one row.
    static func multiplyRow(
        _ product: Product, columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>
    ) {
        let (rows, length) = product.isRightTransposed ? (columns, product.depth) : (product.depth, columns)
        cblas_sgemv(
            CblasRowMajor, product.isRightTransposed ? CblasNoTrans : CblasTrans, blasint(rows), blasint(length),
            product.alpha, b, blasint(product.rightStride), a, blasint(product.leftColumnStride), product.beta, c, 1)
    }

    /// Σ a². The caller has called ``start()``.
    static func squaredLength(_ a: UnsafePointer<Float>, count: Int) -> Float {
        cblas_sdot(blasint(count), a, 1, a, 1)
    }

    /// Whether every extent fits in the library's integers.
    static func accepts(_ extents: Int...) -> Bool {
        extents.allSatisfy { $0 >= 0 && $0 <= Int(blasint.max) }
    }
}
