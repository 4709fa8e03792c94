import CPUKernels

/// How a product of packed weights is cut into pieces for threads: blocks of rows × groups of panels.
///
/// Every element is one sum in a fixed order, so the pieces may depend on threads and batch without changing bits.
struct ProductTiling: BitwiseCopyable {
    let rowCount: Int
    let rowsPerBlock: Int
    let blockCount: Int
    let columnCount: Int
    /// Whole panels, except in the last group.
    let columnsPerGroup: Int
    let groupCount: Int

    /// Pieces wanted per thread, so that threads finish close together.
    private static let piecesPerThread = 4
    /// Multiply-adds below which a piece is not worth handing out.
    private static let leastPiece = 200_000

    /// - Parameters:
    ///   - rows: Rows of the product, through the batch; pieces do not cross a multiple of `rowsPerImage`.
    ///   - depth: Elements of a row.
    ///   - rowByteCount: Bytes of input that a further row adds to what a block reads.
    ///   - segmentCount: Addresses per row.
    init(
        rows: Int, columns: Int, depth: Int, rowByteCount: Int, segmentCount: Int, kernel: GEMMKernel, threads: Int
    ) {
        let (tileRows, panelColumns) = (kernel.tileRows, kernel.panelColumns)
        let panels = (columns + panelColumns - 1) / panelColumns
        let cache = ProcessorInformation.secondLevelCacheByteCount
        // A block's input and its addresses stay in the second-level cache while all panels pass.
        let fitting = min(cache / 4 / max(rowByteCount, 1), 64 * 1024 / (8 * max(segmentCount, 1)))
        var blockRows = min(rows, max(tileRows, fitting / tileRows * tileRows))
        let work = rows * columns * depth
        let wanted = max(1, min(Self.piecesPerThread * threads, work / Self.leastPiece))
        if depth * columns * MemoryLayout<Float>.stride <= cache / 4 {
            // All the weights stay in the cache: cut rows.
            blockRows = min(blockRows, Self.evenly(rows, wanted, tileRows))
        }
        blockCount = (rows + blockRows - 1) / blockRows
        rowsPerBlock = Self.evenly(rows, blockCount, 1)
        rowCount = rows
        let groups = min(panels, max(1, (wanted + blockCount - 1) / blockCount))
        columnCount = columns
        columnsPerGroup = Self.evenly(panels, groups, 1) * panelColumns
        groupCount = (columns + columnsPerGroup - 1) / columnsPerGroup
    }

    var pieceCount: Int { blockCount * groupCount }

    struct Piece {
        let firstRow: Int
        let rowCount: Int
        let firstColumn: Int
        let columnCount: Int
    }

    /// Pieces of a group of panels follow one another, so that threads share the weights they stream.
    func piece(_ index: Int) -> Piece {
        let (group, block) = index.quotientAndRemainder(dividingBy: blockCount)
        let (row, column) = (block * rowsPerBlock, group * columnsPerGroup)
        return Piece(
            firstRow: row, rowCount: min(rowsPerBlock, rowCount - row), firstColumn: column,
            columnCount: min(columnsPerGroup, columnCount - column))
    }

    /// `extent` in `parts`, rounded up to a multiple of `unit`.
    private static func evenly(_ extent: Int, _ parts: Int, _ unit: Int) -> Int {
        let part = (extent + parts - 1) / parts
        return max(unit, (part + unit - 1) / unit * unit)
    }
}
