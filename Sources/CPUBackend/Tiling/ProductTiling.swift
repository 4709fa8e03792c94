import CPUKernels

/// How a product of packed weights is cut into pieces for threads: blocks of rows × groups of panels.
///
/// Every element is one sum in a fixed order, so the pieces may depend on threads and batch without changing bits.
package struct ProductTiling: BitwiseCopyable {
    let rowCount: Int
    let blockCount: Int
    let columnCount: Int
    private let panelColumns: Int
    /// Groups of whole panels, except for the last panel.
    private let groupCount: Int
    /// Whether all columns of a block of rows follow one another, so that a thread keeps to rows of its own.
    private let keepsRows: Bool

    /// Pieces wanted per thread, so that threads finish close together.
    private static let piecesPerThread = 4
    /// Multiply-adds below which a piece is not worth handing out.
    private static let leastPiece = 200_000
    /// Weights are streamed from memory faster than what another thread wrote just before is fetched from its cache: so
    /// many bytes of weights are read twice as soon as a byte of input or output is exchanged.
    private static let weightBytesPerExchangedByte = 4

    /// - Parameters:
    ///   - rows: Rows of the product, through the batch.
    ///   - depth: Elements of a row.
    ///   - rowByteCount: Bytes of input that a further row adds to what a block reads.
    ///   - segmentCount: Addresses per row.
    ///   - tileRows: Rows of a register tile.
    ///   - panelColumns: Columns of a register tile.
    package init(
        rows: Int, columns: Int, depth: Int, rowByteCount: Int, segmentCount: Int, tileRows: Int, panelColumns: Int,
        threads: Int
    ) {
        self.panelColumns = panelColumns
        rowCount = rows
        columnCount = columns
        let panels = Self.parts(of: columns, panelColumns)
        let cache = ProcessorInformation.secondLevelCacheByteCount
        let weightBytes = depth * columns * MemoryLayout<Float>.stride
        let most = max(1, rows * columns * depth / Self.leastPiece)
        let wanted = most < threads ? most : min(Self.piecesPerThread, most / threads) * threads
        let exchanged = rows * (rowByteCount + columns * MemoryLayout<Float>.stride)
        keepsRows = rows >= tileRows * threads && weightBytes <= Self.weightBytesPerExchangedByte * exchanged
        // A block's input and its addresses stay in the second-level cache while all panels pass.
        let share = keepsRows ? 4 : 2
        let fitting = min(cache / share / max(rowByteCount, 1), 64 * 1024 / (8 * max(segmentCount, 1)))
        let fittingBlocks = Self.parts(of: rows, max(tileRows, fitting / tileRows * tileRows))
        var blocks = fittingBlocks
        if keepsRows {
            blocks = Self.parts(of: blocks, threads) * threads
            // Weights that stay in the cache may pass for more blocks.
            let finest = min(wanted, rows / tileRows)
            if weightBytes <= cache / 4, finest > blocks { blocks = finest / threads * threads }
        } else if blocks * panels < wanted {
            blocks = max(1, min(Self.parts(of: wanted, panels), rows / tileRows))
        }
        blockCount = blocks
        groupCount = min(panels, Self.parts(of: wanted, blocks))
    }

    /// Pixels of input that a further pixel of output adds to what a block reads: those that the window moves on by, or the
    /// window's own where it leaves some out.
    static func pixelsPerRow(input: Int, output: Int, taps: Int) -> Int {
        min(parts(of: input, max(output, 1)), taps)
    }

    package var pieceCount: Int { blockCount * groupCount }

    var mostRowsPerBlock: Int { Self.parts(of: rowCount, blockCount) }

    package struct Piece {
        package let firstRow: Int
        package let rowCount: Int
        package let firstColumn: Int
        package let columnCount: Int
    }

    /// Unless rows are kept, pieces of a group of panels follow one another, so that threads share the weights they
    /// stream.
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

    /// How many parts of at most `size` make up `extent`; also the size of each of so many equal parts, rounded up.
    private static func parts(of extent: Int, _ size: Int) -> Int { (extent + size - 1) / size }
}
