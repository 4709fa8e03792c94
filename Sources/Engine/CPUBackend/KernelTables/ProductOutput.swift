import CPUKernels
import Planning

/// Where a product writes its results: as floats, or as bfloat16 with its sums in scratch memory.
struct ProductOutput: BitwiseCopyable {
    private let start: UnsafeMutableRawPointer
    private let isBFloat16: Bool
    /// The elements from one row to the next.
    private let stride: Int

    init(_ start: UnsafeMutableRawPointer, isBFloat16: Bool, stride: Int) {
        self.start = start
        self.isBFloat16 = isBFloat16
        self.stride = stride
    }

    init(_ start: UnsafeMutableRawPointer, _ operand: Operand, stride: Int) {
        self.init(start, isBFloat16: operand.isBFloat16, stride: stride)
    }

    /// Makes a block write its results.
    ///
    /// - Parameters:
    ///   - position: The element of the output at which the block begins.
    ///   - sums: Scratch memory of as many floats as the block has results.
    func place(_ block: inout apus_gemm_block, at position: Int, sums: UnsafeMutablePointer<Float>) {
        if isBFloat16 {
            (block.output, block.output_stride) = (sums, block.column_count)
            block.rounded = start.assumingMemoryBound(to: UInt16.self) + position
            block.rounded_stride = stride
        } else {
            (block.output, block.output_stride) = (start.assumingMemoryBound(to: Float.self) + position, stride)
        }
    }
}

extension apus_gemm_block {
    /// A product without an addend, whose place for results is still to be set.
    init(
        rows: UnsafePointer<UnsafePointer<Float>>, zeros: UnsafePointer<Float>? = nil, rowCount: Int,
        segmentCount: Int = 1, segmentLength: Int, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
        columnCount: Int, output: UnsafeMutablePointer<Float>, activation: apus_activation
    ) {
        self.init(
            rows: rows, zeros: zeros, row_count: rowCount, segment_count: segmentCount, segment_length: segmentLength,
            weights: weights, bias: bias, column_count: columnCount, output: output, output_stride: columnCount,
            addend: nil, addend_stride: 0, activation: activation, rounded: nil, rounded_stride: 0,
            rounded_addend: nil)
    }
}
