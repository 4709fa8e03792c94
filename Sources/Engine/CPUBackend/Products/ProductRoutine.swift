/// What multiplies matrices that are computed at run time, on the calling thread.
enum ProductRoutine: BitwiseCopyable, Sendable {
    /// Apus's own kernels. The bits of an element depend on the extents of the whole product, not on how it is divided.
    case kernel(GEMMKernel)
    case openBLAS(OpenBLAS)

    /// Why values with these numbers of elements cannot be multiplied; nil where they can.
    func refusal(of elementCounts: Int...) -> String? {
        switch self {
        case .kernel: nil
        case .openBLAS:
            elementCounts.allSatisfy { OpenBLAS.accepts($0) } ? nil : "extents exceed OpenBLAS's integers"
        }
    }

    /// The approximate multiply-adds per microsecond of a product on one core.
    var multiplyAddsPerMicrosecond: Double {
        switch self {
        case .kernel(let kernel): kernel.instructionSet.multiplyAddsPerMicrosecond / 2
        case .openBLAS: 25_000
        }
    }

    /// The floats of scratch memory that parts of at most `rows` rows need.
    func scratchCount(_ product: StridedProduct, rows: Int) -> Int {
        switch self {
        case .kernel(let kernel): kernel.scratchCount(product, rows: rows)
        case .openBLAS: 0
        }
    }

    /// How a product is divided for threads. Parts by OpenBLAS are the same for any number of threads.
    func tiling(_ product: StridedProduct, count: Int, threads: Int) -> ProductPartition {
        switch self {
        case .kernel(let kernel):
            ProductPartition(
                rows: product.rows, columns: product.columns, depth: product.depth, panelColumns: kernel.panelColumns,
                count: count, threads: threads)
        case .openBLAS: ProductPartition(rows: product.rows, columns: product.columns, depth: product.depth)
        }
    }

    /// c = alpha · a · b + beta · c for some rows and columns.
    func multiply(
        _ product: StridedProduct, rows: Int, columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
    ) {
        switch self {
        case .kernel(let kernel):
            kernel.multiply(product, rows: rows, columns: columns, a, b, into: c, scratch: scratch)
        case .openBLAS(let library): library.multiply(product, rows: rows, columns: columns, a, b, into: c)
        }
    }
}
