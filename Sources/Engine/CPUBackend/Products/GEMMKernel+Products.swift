import CPUKernels

/// Products whose second factor is packed on every call, a panel of some depth at a time.
extension GEMMKernel {
    /// The maximum depth that is packed at a time, a multiple of the kernel's longest chain of sums.
    private static let packedDepth = 1024
    /// The maximum rows of a transposed first factor that are copied at a time.
    private static let copiedRows = 240

    /// The floats of scratch memory that parts of at most `rows` rows need.
    func scratchCount(_ product: StridedProduct, rows: Int) -> Int {
        product.hasFewRows || product.hasFewColumns ? 0 : Scratch(self, product, rows: rows).count
    }

    /// The division of scratch memory, in floats.
    private struct Scratch {
        let zeros: Int
        let addresses: Int
        let copies: Int
        let count: Int

        init(_ kernel: GEMMKernel, _ product: StridedProduct, rows: Int) {
            let depth = min(product.depth, GEMMKernel.packedDepth)
            let block = GEMMKernel.blockRows(product, rows)
            zeros = Self.rounded(kernel.panelColumns * depth)
            addresses = zeros + Self.rounded(kernel.panelColumns)
            copies = addresses + Self.rounded(block * 2)
            count = copies + (product.isLeftTransposed ? Self.rounded(block * depth) : 0)
        }

        /// Whole cache lines.
        private static func rounded(_ count: Int) -> Int { (count + 15) / 16 * 16 }
    }

    private static func blockRows(_ product: StridedProduct, _ rows: Int) -> Int {
        product.isLeftTransposed ? min(rows, copiedRows) : rows
    }

    /// c = alpha · a · b + beta · c for some rows and columns.
    func multiply(
        _ product: StridedProduct, rows: Int, columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
    ) {
        if product.hasFewRows { return Self.multiplyFewRows(product, rows, columns, a, b, into: c) }
        if product.hasFewColumns { return Self.multiplyFewColumns(product, rows, columns, a, b, into: c) }
        let places = Scratch(self, product, rows: rows)
        (scratch + places.zeros).update(repeating: 0, count: panelColumns)
        if product.beta != 1, product.beta != 0 || product.depth == 0 {
            Self.scale(c, by: product.beta, rows: rows, columns: columns, stride: product.resultStride)
        }
        let most = Self.blockRows(product, rows)
        for start in stride(from: 0, to: product.depth, by: Self.packedDepth) {
            let depth = min(Self.packedDepth, product.depth - start)
            for first in stride(from: 0, to: rows, by: most) {
                let count = min(most, rows - first)
                point(
                    scratch, places, product, to: a + first * product.leftRowStride + start * product.leftColumnStride,
                    rows: count, depth: depth)
                for column in stride(from: 0, to: columns, by: panelColumns) {
                    let width = min(panelColumns, columns - column)
                    pack(product, b, start, depth, column, width, into: scratch)
                    multiplyPanel(
                        scratch, places, rows: count, depth: depth, columns: width,
                        into: c + first * product.resultStride + column, stride: product.resultStride,
                        adds: start > 0 || product.beta != 0)
                }
            }
        }
    }

    private static func multiplyFewRows(
        _ product: StridedProduct, _ rows: Int, _ columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>
    ) {
        var thin = apus_thin_product(
            left: a, right: b, row_count: rows, depth: product.depth, column_count: columns,
            left_row_stride: product.leftRowStride, left_column_stride: product.leftColumnStride,
            right_stride: product.rightStride, alpha: product.alpha, beta: product.beta, result: c,
            result_row_stride: product.resultStride, result_column_stride: 1)
        if product.isRightTransposed { apus_multiply_thin_transposed(&thin) } else { apus_multiply_thin(&thin) }
    }

    /// cᵀ = alpha · bᵀ · aᵀ + beta · cᵀ, which has few rows.
    private static func multiplyFewColumns(
        _ product: StridedProduct, _ rows: Int, _ columns: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
        into c: UnsafeMutablePointer<Float>
    ) {
        let isTransposed = product.isRightTransposed
        var thin = apus_thin_product(
            left: b, right: a, row_count: columns, depth: product.depth, column_count: rows,
            left_row_stride: isTransposed ? product.rightStride : 1,
            left_column_stride: isTransposed ? 1 : product.rightStride,
            right_stride: max(product.leftRowStride, product.leftColumnStride), alpha: product.alpha,
            beta: product.beta, result: c, result_row_stride: 1, result_column_stride: product.resultStride)
        if product.isLeftTransposed { apus_multiply_thin(&thin) } else { apus_multiply_thin_transposed(&thin) }
    }

    private static func scale(
        _ c: UnsafeMutablePointer<Float>, by factor: Float, rows: Int, columns: Int, stride: Int
    ) {
        for row in 0..<rows {
            for column in 0..<columns {
                c[row * stride + column] = factor == 0 ? 0 : c[row * stride + column] * factor
            }
        }
    }

    /// Writes the addresses of rows of a, which are copied first where their elements lie apart.
    private func point(
        _ scratch: UnsafeMutablePointer<Float>, _ places: Scratch, _ product: StridedProduct,
        to a: UnsafePointer<Float>, rows: Int, depth: Int
    ) {
        var (left, leftStride) = (a, product.leftRowStride)
        if product.isLeftTransposed {
            let copies = scratch + places.copies
            apus_copy_transposed(a, product.leftColumnStride, depth, rows, copies, depth)
            (left, leftStride) = (UnsafePointer(copies), depth)
        }
        let addresses = UnsafeMutableRawPointer(scratch + places.addresses)
            .assumingMemoryBound(to: UnsafePointer<Float>.self)
        for row in 0..<rows { (addresses + row).initialize(to: left + row * leftStride) }
    }

    /// Packs alpha times a part of b of at most a panel's width.
    private func pack(
        _ product: StridedProduct, _ b: UnsafePointer<Float>, _ start: Int, _ depth: Int, _ column: Int, _ width: Int,
        into panel: UnsafeMutablePointer<Float>
    ) {
        let isTransposed = product.isRightTransposed
        let (rowStride, columnStride) = isTransposed ? (1, product.rightStride) : (product.rightStride, 1)
        var factor = apus_gemm_factor(
            elements: b + start * rowStride + column * columnStride, tap_count: 1, channel_count: depth,
            column_count: width, tap_stride: 0, channel_stride: rowStride, column_stride: columnStride)
        apus_gemm_pack(&factor, panelColumns, panel)
        if product.alpha != 1 { for index in 0..<depth * panelColumns { panel[index] *= product.alpha } }
    }

    private func multiplyPanel(
        _ scratch: UnsafeMutablePointer<Float>, _ places: Scratch, rows: Int, depth: Int, columns: Int,
        into c: UnsafeMutablePointer<Float>, stride: Int, adds: Bool
    ) {
        let addresses = UnsafeMutableRawPointer(scratch + places.addresses)
            .assumingMemoryBound(to: UnsafePointer<Float>.self)
        var block = apus_gemm_block(
            rows: UnsafePointer(addresses), zeros: nil, row_count: rows, segment_count: 1, segment_length: depth,
            weights: scratch, bias: scratch + places.zeros, column_count: columns, output: c, output_stride: stride,
            addend: adds ? UnsafePointer(c) : nil, addend_stride: stride, activation: apus_activation(nil),
            rounded: nil, rounded_stride: 0, rounded_addend: nil)
        multiply(&block)
    }
}

extension StridedProduct {
    /// Whether packing the second factor would take longer than it saves.
    fileprivate var hasFewRows: Bool { rows <= (isRightTransposed ? 3 : 8) }

    /// Whether most of a panel would be empty.
    fileprivate var hasFewColumns: Bool { columns <= 3 }
}
