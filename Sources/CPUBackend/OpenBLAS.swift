import COpenBLAS
import CPUKernels
import Glibc

/// OpenBLAS, one thread per call; the engine's own threads call it side by side.
enum OpenBLAS {
    /// Version, options and kernels, as the library describes itself.
    static let configuration: String = {
        start()
        let words = String(cString: openblas_get_config()).split(separator: " ")
        return "\(words.prefix(2).joined(separator: " ")), \(String(cString: openblas_get_corename())) kernels"
    }()

    private static let started: Void = {
        chooseKernels()
        // Its threaded products serialise on a lock.
        openblas_set_num_threads(1)
    }()

    /// Makes the library ready; called before the first product.
    static func start() { _ = started }

    /// Chooses kernels for the processor's instructions where the library, being older than the processor, fell back to
    /// kernels of 2004. `OPENBLAS_CORETYPE` is left to decide when it is set.
    private static func chooseKernels() {
        let core: String
        switch InstructionSet.chosen {
        case .avx512: core = "SkylakeX"
        case .avx2: core = "Haswell"
        default: return
        }
        guard getenv("OPENBLAS_CORETYPE") == nil, String(cString: openblas_get_corename()) == "Prescott" else { return }
        // The library reads the variable when it is loaded, and again here. Builds for one processor lack the calls.
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

    /// y = m · x, with m row-major of rows × columns.
    static func multiply(
        rows: Int, columns: Int, _ m: UnsafePointer<Float>, stride: Int, _ x: UnsafePointer<Float>,
        into y: UnsafeMutablePointer<Float>
    ) {
        cblas_sgemv(
            CblasRowMajor, CblasNoTrans, blasint(rows), blasint(columns), 1, m, blasint(stride), x, 1, 0, y, 1)
    }

    /// Whether every extent fits the library's integers.
    static func accepts(_ extents: Int...) -> Bool {
        extents.allSatisfy { $0 >= 0 && $0 <= Int(blasint.max) }
    }
}
