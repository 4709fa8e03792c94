import CPUKernels

/// The division of a product with packed weights into pieces for threads: blocks of rows × groups of panels.
///
/// Every element is one sum in a fixed order, so the pieces may depend on threads and batch without changing bits.
package struct PackedProductPartition: BitwiseCopyable {
    let rowCount: Int
    let blockCount: Int
    let columnCount: Int
    private let panelColumns: Int
    /// The number of groups; each consists of whole panels, except for the last panel.
    private let groupCount: Int
    /// Whether all column groups of a block of rows follow one another, so that a thread keeps its own rows.
    private let keepsRows: Bool

    /// Pieces per thread, so that threads finish close together.
    private static let piecesPerThread = 4
    /// The minimum multiply-adds that make a piece worth handing to a thread.
    private static let minimumPiece = 200_000
    /// Streaming weights from memory is faster than fetching from another thread's cache what it has just written.
    /// Reading this many bytes of weights again takes as long as exchanging one byte of input or output.
    private static let weightBytesPerExchangedByte = 4

    /// - Parameters:
    ///   - rows: The rows of the product in the whole batch.
    ///   - depth: The number of elements in a row.
    ///   - rowByteCount: The bytes of input that each further row adds to a block.
    ///   - cachedRowByteCount: Those of them that are read while all panels pass over the block; by default all.
    ///   - segmentCount: The number of addresses per row.
    ///   - tileRows: The rows of a register tile.
    ///   - panelColumns: The columns of a register tile.
    package init(
        rows: Int, columns: Int, depth: Int, rowByteCount: Int, cachedRowByteCount: Int? = nil, segmentCount: Int,
        tileRows: Int, panelColumns: Int, threads: Int
    ) {
        self.panelColumns = panelColumns
        rowCount = rows
        columnCount = columns
        let panels = Self.parts(of: columns, panelColumns)
        let cache = ProcessorInformation.secondLevelCacheByteCount
        let weightBytes = depth * columns * MemoryLayout<Float>.stride
        let most = max(1, rows * columns * depth / Self.minimumPiece)
        let wanted = most < threads ? most : min(Self.piecesPerThread, most / threads) * threads
        let exchanged = rows * (rowByteCount + columns * MemoryLayout<Float>.stride)
        keepsRows = rows >= tileRows * threads && weightBytes <= Self.weightBytesPerExchangedByte * exchanged
        // A block's input and addresses stay in the second-level cache while all panels pass over them.
        let share = keepsRows ? 4 : 2
        let cachedByteCount = max(cachedRowByteCount ?? rowByteCount, 1)
        let fitting = min(cache / share / cachedByteCount, 64 * 1024 / (8 * max(segmentCount, 1)))
        let fittingBlocks = Self.parts(of: rows, max(tileRows, fitting / tileRows * tileRows))
        var blocks = fittingBlocks
        if keepsRows {
            blocks = Self.parts(of: blocks, threads) * threads
            // Weights that stay in the cache may be read for more blocks.
            let finest = min(wanted, rows / tileRows)
            if weightBytes <= cache / 4, finest > blocks { blocks = finest / threads * threads }
        } else if blocks * panels < wanted {
            blocks = max(1, min(Self.parts(of: wanted, panels), rows / tileRows))
        }
        blockCount = blocks
        groupCount = min(panels, Self.parts(of: wanted, blocks))
    }

    /// The pixels of input that each further pixel of output adds to a block: those by which the window moves, or the
    /// window's own where it skips some.
    static func pixelsPerRow(input: Int, output: Int, taps: Int) -> Int {
        min(parts(of: input, max(output, 1)), taps)
    }

    package var pieceCount: Int { blockCount * groupCount }

    var maximumRowsPerBlock: Int { Self.parts(of: rowCount, blockCount) }

    /// The maximum columns of a piece.
    var maximumColumnsPerPiece: Int {
        min(columnCount, Self.parts(of: Self.parts(of: columnCount, panelColumns), groupCount) * panelColumns)
    }

    package struct Piece {
        package let firstRow: Int
        package let rowCount: Int
        package let firstColumn: Int
        package let columnCount: Int
    }

    /// Returns a piece. Unless a thread keeps its rows, the pieces of a group of panels follow one another, so that
    /// threads share the weights that they stream.
    package func piece(_ index: Int) -> Piece {
        let (block, group) =
            keepsRows
            ? index.quotientAndRemainder(dividingBy: groupCount) : (index % blockCount, index / blockCount)
        let rows = Self.part(block, of: rowCount, in: blockCount)
        let panels = Self.part(group, of: Self.parts(of: columnCount, panelColumns), in: groupCount)
        let column = panels.lowerBound * panelColumns
        return Piece(
            firstRow: rows.lowerBound, rowCount: rows.count, firstColumn: column,
            columnCount: min(panels.upperBound * panelColumns, columnCount) - column)
    }

    private static func part(_ index: Int, of extent: Int, in parts: Int) -> Range<Int> {
        extent * index / parts..<extent * (index + 1) / parts
    }

    /// How many parts of at most `size` make up `extent`. Also the size of each of `size` equal parts, rounded up.
    private static func parts(of extent: Int, _ size: Int) -> Int { (extent + size - 1) / size }
}
