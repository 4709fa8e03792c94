import CPUKernels

/// How a product of packed weights is cut into pieces for threads: blocks of rows × groups of panels.
///
/// Every element is one sum in a fixed order, so the pieces may depend on threads and batch without changing bits.
struct ProductTiling: BitwiseCopyable {
    let rowCount: Int
    let blockCount: Int
    let columnCount: Int
    /// Whole panels, except in the last group.
    let columnsPerGroup: Int
    let groupCount: Int
    /// Whether all columns of a block of rows follow one another, so that a thread keeps to rows of its own.
    private let keepsRows: Bool

    /// Pieces wanted per thread, so that threads finish close together.
    private static let piecesPerThread = 4
    /// Multiply-adds below which a piece is not worth handing out.
    private static let leastPiece = 200_000
    /// Weights are streamed faster than what another thread wrote just before: bytes of weights that are as soon read
    /// as a byte of input.
    private static let weightBytesPerInputByte = 2

    /// - Parameters:
    ///   - rows: Rows of the product, through the batch; pieces do not cross a multiple of `rowsPerImage`.
    ///   - depth: Elements of a row.
    ///   - rowByteCount: Bytes of input that a further row adds to what a block reads.
    ///   - segmentCount: Addresses per row.
    init(
        rows: Int, columns: Int, depth: Int, rowByteCount: Int, segmentCount: Int, kernel: GEMMKernel, threads: Int
    ) {
        let (tileRows, panelColumns) = (kernel.tileRows, kernel.panelColumns)
        let panels = Self.parts(of: columns, panelColumns)
        let cache = ProcessorInformation.secondLevelCacheByteCount
        let weightBytes = depth * columns * MemoryLayout<Float>.stride
        let most = max(1, rows * columns * depth / Self.leastPiece)
        let wanted = most < threads ? most : min(Self.piecesPerThread, most / threads) * threads
        // A block's input and its addresses stay in the second-level cache while all panels pass.
        let fitting = min(cache / 4 / max(rowByteCount, 1), 64 * 1024 / (8 * max(segmentCount, 1)))
        var blocks = Self.parts(of: rows, max(tileRows, fitting / tileRows * tileRows))
        keepsRows = rows >= tileRows * threads && weightBytes <= Self.weightBytesPerInputByte * rows * rowByteCount
        if keepsRows {
            blocks = Self.parts(of: blocks, threads) * threads
            // Few panels, or weights that stay in the cache through more blocks: the rows alone are cut.
            let finest = min(wanted, rows / tileRows)
            if weightBytes <= cache / 4, finest > blocks { blocks = finest / threads * threads }
        }
        blockCount = blocks
        rowCount = rows
        let groups = min(panels, Self.parts(of: wanted, blocks))
        columnCount = columns
        columnsPerGroup = Self.parts(of: panels, groups) * panelColumns
        groupCount = Self.parts(of: columns, columnsPerGroup)
    }

    var pieceCount: Int { blockCount * groupCount }

    var mostRowsPerBlock: Int { Self.parts(of: rowCount, blockCount) }

    struct Piece {
        let firstRow: Int
        let rowCount: Int
        let firstColumn: Int
        let columnCount: Int
    }

    /// Unless rows are kept, pieces of a group of panels follow one another, so that threads share the weights they
    /// stream.
    func piece(_ index: Int) -> Piece {
        let (block, group) = keepsRows ? index.quotientAndRemainder(dividingBy: groupCount)
            : (index % blockCount, index / blockCount)
        let (row, column) = (rowCount * block / blockCount, group * columnsPerGroup)
        return Piece(
            firstRow: row, rowCount: rowCount * (block + 1) / blockCount - row, firstColumn: column,
            columnCount: min(columnsPerGroup, columnCount - column))
    }

    /// How many parts of at most `size` make up `extent`; also the size of each of so many equal parts, rounded up.
    private static func parts(of extent: Int, _ size: Int) -> Int { (extent + size - 1) / size }
}
