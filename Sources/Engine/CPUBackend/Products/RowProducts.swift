import CPUKernels

/// Products of the rows of two matrices, on the calling thread. Any number of threads may compute products at once.
package enum RowProducts {
    /// Computes c[i, j] = Σₖ a[i, k] · b[j, k] for all rows of a and b; all matrices are row-major.
    ///
    /// The bits of a product may depend on its place among the rows.
    ///
    /// - Parameters:
    ///   - left: The rows of a, each of `depth` elements.
    ///   - right: The rows of b, each of `depth` elements.
    ///   - result: Receives c: as many elements as a has rows, times as many as b has.
    package static func multiply(
        _ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>, depth: Int,
        into result: UnsafeMutableBufferPointer<Float>
    ) {
        guard depth > 0, let a = left.baseAddress, let b = right.baseAddress, let c = result.baseAddress else { return }
        let (rows, columns) = (left.count / depth, right.count / depth)
        guard rows > 0, columns > 0, result.count / columns >= rows else { return }
        let product = product(rows, columns, depth)
        let scratchCount = kernel.scratchCount(product, rows: rows)
        withUnsafeTemporaryAllocation(
            byteCount: max(1, scratchCount) * MemoryLayout<Float>.stride, alignment: cacheLineByteCount
        ) { scratch in
            guard let start = scratch.bindMemory(to: Float.self).baseAddress else { return }
            kernel.multiply(product, rows: rows, columns: columns, a, b, into: c, scratch: start)
        }
    }

    /// Computes Σₖ a[i, k]² for each row of a.
    ///
    /// - Parameter result: Receives a sum for each row.
    package static func squaredLengths(
        _ rows: UnsafeBufferPointer<Float>, depth: Int, into result: UnsafeMutableBufferPointer<Float>
    ) {
        guard depth > 0, let a = rows.baseAddress, let sums = result.baseAddress else { return }
        let product = product(1, 1, depth)
        for row in 0..<min(rows.count / depth, result.count) {
            let elements = a + row * depth
            kernel.multiply(product, rows: 1, columns: 1, elements, elements, into: sums + row, scratch: sums)
        }
    }

    private static func product(_ rows: Int, _ columns: Int, _ depth: Int) -> StridedProduct {
        StridedProduct(
            rows: rows, columns: columns, depth: depth, leftRowStride: depth, rightStride: depth,
            isRightTransposed: true, resultStride: columns)
    }

    private static let kernel = GEMMKernel(.chosen)
    private static let cacheLineByteCount = 64
}
