import COpenBLAS

/// OpenBLAS, one thread per call; the engine's own threads call it side by side.
enum OpenBLAS {
    /// Version, kernel and options, as the library describes itself.
    static let configuration: String = {
        start()
        return String(cString: openblas_get_config()).trimmingSuffix(" ")
    }()

    private static let started: Void = openblas_set_num_threads(1)

    /// Sets the library to one thread. Its threaded products serialise on a lock.
    static func start() { _ = started }

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

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
