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
    /// Output rows are computed in groups of so many, counted from the image's first; the last may have fewer.
    package let rowsPerGroup: Int

    /// - Parameters:
    ///   - geometry: Of a 2-D window.
    ///   - reach: Where more rows are read than the window covers.
    package init(_ geometry: SpatialWindow.Geometry, rowsPerGroup: Int = 1, reach: Int? = nil) {
        self.rowsPerGroup = rowsPerGroup
        inputHeight = geometry.input[0]
        outputHeight = geometry.output[0]
        stride = geometry.strides[0]
        padding = geometry.padsBegin[0]
        self.reach = reach ?? (geometry.kernel[0] - 1) * geometry.dilations[0] + 1
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

    /// The output rows of the groups that `rows` are in.
    func wholeGroups(_ rows: Range<Int>) -> Range<Int> {
        if rows.isEmpty { return rows }
        let first = rows.lowerBound / rowsPerGroup * rowsPerGroup
        let end = (rows.upperBound + rowsPerGroup - 1) / rowsPerGroup * rowsPerGroup
        return first..<min(end, outputHeight)
    }

    /// The most output rows of the groups that so many neighbouring rows are in.
    func mostRowsOfGroups(around rowCount: Int) -> Int {
        min(outputHeight, ((rowCount + rowsPerGroup - 2) / rowsPerGroup + 1) * rowsPerGroup)
    }

    private func firstRow(of outputRows: Range<Int>) -> Int { outputRows.lowerBound * stride - padding }
}
