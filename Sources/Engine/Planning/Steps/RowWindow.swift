import Graphs

/// The rows of an image that a sliding window reads for given rows of its output.
package struct RowWindow: BitwiseCopyable, Sendable {
    package let inputHeight: Int
    package let outputHeight: Int
    package let stride: Int
    /// Rows of padding before the image.
    package let padding: Int
    /// Rows from the first tap of a window to its last.
    package let reach: Int
    /// The rows per group in which output rows are computed, counted from the image's first; the last group may have
    /// fewer.
    package let rowsPerGroup: Int

    /// - Parameters:
    ///   - geometry: The geometry of a 2-D window.
    ///   - reach: The rows that are read, where they are more than the window covers.
    package init(_ geometry: SpatialWindow.Geometry, rowsPerGroup: Int = 1, reach: Int? = nil) {
        self.rowsPerGroup = rowsPerGroup
        inputHeight = geometry.input[0]
        outputHeight = geometry.output[0]
        stride = geometry.strides[0]
        padding = geometry.padsBegin[0]
        self.reach = reach ?? (geometry.kernel[0] - 1) * geometry.dilations[0] + 1
    }

    /// The rows inside the image that the windows of the output rows cover.
    package func inputRows(for outputRows: Range<Int>) -> Range<Int> {
        let first = min(max(firstRow(of: outputRows), 0), inputHeight)
        let end = (outputRows.upperBound - 1) * stride - padding + reach
        return first..<min(max(end, first), inputHeight)
    }

    /// The rows of padding between the first window's first row and the first row inside the image.
    package func padding(above outputRows: Range<Int>) -> Int {
        inputRows(for: outputRows).lowerBound - firstRow(of: outputRows)
    }

    /// The rows that the windows of `outputRowCount` rows cover, padding included.
    package func coveredRows(by outputRowCount: Int) -> Int { (outputRowCount - 1) * stride + reach }

    /// The maximum rows inside the image that the windows of `outputRowCount` rows cover.
    package func maximumInputRows(for outputRowCount: Int) -> Int { min(inputHeight, coveredRows(by: outputRowCount)) }

    /// The output rows of the groups that contain `rows`.
    func wholeGroups(_ rows: Range<Int>) -> Range<Int> {
        if rows.isEmpty { return rows }
        let first = rows.lowerBound / rowsPerGroup * rowsPerGroup
        let end = (rows.upperBound + rowsPerGroup - 1) / rowsPerGroup * rowsPerGroup
        return first..<min(end, outputHeight)
    }

    /// The maximum output rows of the groups that contain `rowCount` neighbouring rows.
    func maximumRowsOfGroups(around rowCount: Int) -> Int {
        min(outputHeight, ((rowCount + rowsPerGroup - 2) / rowsPerGroup + 1) * rowsPerGroup)
    }

    private func firstRow(of outputRows: Range<Int>) -> Int { outputRows.lowerBound * stride - padding }
}
