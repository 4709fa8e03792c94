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
        guard rows > 0, columns > 0, result.count / columns >= rows,
            OpenBLAS.accepts(left.count, right.count, result.count)
        else { return }
        OpenBLAS.start()
        let product = OpenBLAS.Product(
            depth: depth, leftRowStride: depth, rightStride: depth, isRightTransposed: true, resultStride: columns)
        if rows == 1 {
            OpenBLAS.multiplyRow(product, columns: columns, a, b, into: c)
        } else {
            OpenBLAS.multiply(product, rows: rows, columns: columns, a, b, into: c)
        }
    }

    /// Computes Σₖ a[i, k]² for each row of a.
    ///
    /// - Parameter result: Receives a sum for each row.
    package static func squaredLengths(
        _ rows: UnsafeBufferPointer<Float>, depth: Int, into result: UnsafeMutableBufferPointer<Float>
    ) {
        guard depth > 0, let a = rows.baseAddress, OpenBLAS.accepts(depth) else { return }
        OpenBLAS.start()
        for row in 0..<min(rows.count / depth, result.count) {
            result[row] = OpenBLAS.squaredLength(a + row * depth, count: depth)
        }
    }
}
