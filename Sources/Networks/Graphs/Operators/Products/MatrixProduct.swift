import Tensors

/// The product of matrices that Conv, Gemm and MatMul share.
///
/// c[i, j] = Σₖ a[i, k] · b[k, j], each sum in float64 in the order of k.
package enum MatrixProduct {
    /// Columns of b that are copied together.
    static let panelWidth = 64

    /// Multiplies `rows` × `depth` by `depth` × `columns` elements.
    ///
    /// - Parameters:
    ///   - panel: Row-major, `columns` apart.
    ///   - result: Rows lie `resultStride` apart; overwritten.
    static func multiply(
        _ matrix: UnsafePointer<Double>, rows: Int, _ panel: UnsafePointer<Double>, columns: Int, depth: Int,
        into result: UnsafeMutablePointer<Double>, resultStride: Int
    ) {
        var row = 0
        while row + 4 <= rows {
            let (a0, a1) = (matrix + row * depth, matrix + (row + 1) * depth)
            let (a2, a3) = (matrix + (row + 2) * depth, matrix + (row + 3) * depth)
            let target = result + row * resultStride
            var column = 0
            while column + 4 <= columns {
                var (s0, s1, s2, s3) = (SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>())
                for k in 0..<depth {
                    let b = UnsafeRawPointer(panel + k * columns + column).loadUnaligned(as: SIMD4<Double>.self)
                    s0 += b * a0[k]
                    s1 += b * a1[k]
                    s2 += b * a2[k]
                    s3 += b * a3[k]
                }
                store(s0, target + column)
                store(s1, target + resultStride + column)
                store(s2, target + 2 * resultStride + column)
                store(s3, target + 3 * resultStride + column)
                column += 4
            }
            for index in 0..<4 where column < columns {
                tail(matrix + (row + index) * depth, panel, column, columns, depth, target + index * resultStride)
            }
            row += 4
        }
        while row < rows {
            tail(matrix + row * depth, panel, 0, columns, depth, result + row * resultStride)
            row += 1
        }
    }

    @inline(__always)
    private static func store(_ sum: SIMD4<Double>, _ target: UnsafeMutablePointer<Double>) {
        for lane in 0..<4 { target[lane] = sum[lane] }
    }

    /// One row of the product, from column `first` on.
    private static func tail(
        _ row: UnsafePointer<Double>, _ panel: UnsafePointer<Double>, _ first: Int, _ columns: Int, _ depth: Int,
        _ result: UnsafeMutablePointer<Double>
    ) {
        if columns - first < 4 {
            for column in first..<columns {
                var sum = 0.0
                for k in 0..<depth { sum += row[k] * panel[k * columns + column] }
                result[column] = sum
            }
            return
        }
        for column in first..<columns { result[column] = 0 }
        for k in 0..<depth {
            let factor = row[k]
            let source = panel + k * columns
            for column in first..<columns { result[column] += factor * source[column] }
        }
    }

    /// Multiplies two views of floating-point matrices.
    ///
    /// A transposed b is read in the order of its memory, by computing cᵀ = bᵀ · aᵀ.
    ///
    /// - Parameter result: Row-major, `a`'s rows by `b`'s columns.
    package static func multiply(_ a: Tensor, _ b: Tensor, into result: UnsafeMutablePointer<Double>) throws {
        guard b.strides[0] < b.strides[1] else { return try multiplyPanels(a, b, into: result) }
        let product = try Tensor(TensorType(.float64, [b.shape[1], a.shape[0]])) { product in
            guard let start = product.baseAddress else { return }
            try multiplyPanels(b.transposed([1, 0]), a.transposed([1, 0]), into: start)
        }
        let values = try product.transposed([1, 0]).float64Elements
        for index in values.indices { result[index] = values[index] }
    }

    private static func multiplyPanels(
        _ a: Tensor, _ b: Tensor, into result: UnsafeMutablePointer<Double>
    ) throws {
        let (rows, depth, columns) = (a.shape[0], a.shape[1], b.shape[1])
        let blockHeight = max(4, min(panelWidth, (1 << 16) / max(depth, 1)))
        for firstColumn in stride(from: 0, to: columns, by: panelWidth) {
            let width = min(panelWidth, columns - firstColumn)
            let panel = try b.sliced(axis: 1, firstColumn..<firstColumn + width).float64Elements
            for firstRow in stride(from: 0, to: rows, by: blockHeight) {
                let height = min(blockHeight, rows - firstRow)
                let block = try a.sliced(axis: 0, firstRow..<firstRow + height).float64Elements
                block.withUnsafeBufferPointer { block in
                    panel.withUnsafeBufferPointer { panel in
                        guard let block = block.baseAddress, let panel = panel.baseAddress else { return }
                        multiply(
                            block, rows: height, panel, columns: width, depth: depth,
                            into: result + firstRow * columns + firstColumn, resultStride: columns)
                    }
                }
            }
        }
    }

    /// Multiplies two views of integer matrices; sums wrap around.
    package static func multiply<Number: FixedWidthInteger & TensorElement>(
        integers a: Tensor, _ b: Tensor, as: Number.Type
    ) -> [Number] {
        let (rows, depth, columns) = (a.shape[0], a.shape[1], b.shape[1])
        let left = a.elements(as: Number.self)
        let right = b.elements(as: Number.self)
        var result = [Number](repeating: 0, count: rows * columns)
        for row in 0..<rows {
            for k in 0..<depth {
                let factor = left[row * depth + k]
                for column in 0..<columns {
                    result[row * columns + column] &+= factor &* right[k * columns + column]
                }
            }
        }
        return result
    }

    /// Adds each row's bias and each element's addend to a product, and applies the activation.
    static func finish(
        _ y: UnsafeMutableBufferPointer<Double>, bias: [Double], addend: [Double] = [], extent: Int,
        _ activation: Activation?
    ) {
        guard extent > 0, activation != nil || !bias.isEmpty || !addend.isEmpty else { return }
        for row in 0..<y.count / extent {
            let offset = bias.isEmpty ? 0 : bias[row % bias.count]
            for index in row * extent..<(row + 1) * extent {
                let value = y[index] + offset + (addend.isEmpty ? 0 : addend[index])
                y[index] = activation?(value) ?? value
            }
        }
    }
}
