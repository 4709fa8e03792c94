import Graphs

/// The rows of an image that a sliding window reads to give rows of its output.
package struct RowWindow: BitwiseCopyable, Sendable {
    package let inputHeight: Int
    package let outputHeight: Int
    package let stride: Int
    /// Rows of padding before the image.
    package let padding: Int
    /// Rows from the first tap of a window to its last.
    package let reach: Int

    /// - Parameter geometry: Of a 2-D window.
    package init(_ geometry: SpatialWindow.Geometry) {
        inputHeight = geometry.input[0]
        outputHeight = geometry.output[0]
        stride = geometry.strides[0]
        padding = geometry.padsBegin[0]
        reach = (geometry.kernel[0] - 1) * geometry.dilations[0] + 1
    }

    /// The rows inside the image that windows at some output rows cover.
    package func inputRows(for outputRows: Range<Int>) -> Range<Int> {
        let first = min(max(firstRow(of: outputRows), 0), inputHeight)
        let end = (outputRows.upperBound - 1) * stride - padding + reach
        return first..<min(max(end, first), inputHeight)
    }

    /// Rows of padding between the first window's first row and the first row inside the image.
    package func padding(above outputRows: Range<Int>) -> Int {
        inputRows(for: outputRows).lowerBound - firstRow(of: outputRows)
    }

    /// The rows that windows at so many output rows cover, padding among them.
    package func coveredRows(by outputRowCount: Int) -> Int { (outputRowCount - 1) * stride + reach }

    /// The most rows inside the image that windows at so many output rows cover.
    package func mostInputRows(for outputRowCount: Int) -> Int { min(inputHeight, coveredRows(by: outputRowCount)) }

    private func firstRow(of outputRows: Range<Int>) -> Int { outputRows.lowerBound * stride - padding }
}
