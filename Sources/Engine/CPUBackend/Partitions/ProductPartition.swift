/// The division of one image's product of rows × depth with depth × columns into pieces for threads.
///
/// For OpenBLAS it depends only on the three extents, so that the pieces, and with them the bits of the result, are the
/// same at any batch size and thread count.
package struct ProductPartition: BitwiseCopyable {
    package let rowsPerTile: Int
    package let columnsPerTile: Int
    package let rowTileCount: Int
    package let columnTileCount: Int

    /// Rows and columns are divided in multiples of this number, the height and width of a register tile.
    private static let granule = 16
    /// The minimum rows or columns of a tile; with fewer, OpenBLAS spends more time packing than multiplying.
    private static let least = 64
    /// Pieces per image, so that threads finish close together.
    private static let wantedTileCount = 8
    /// The maximum floats of gathered input per tile, so that it stays in the second-level cache.
    private static let tileCapacity = 128 * 1024

    package init(rows: Int, columns: Int, depth: Int) {
        var rowTiles = min(Self.wantedTileCount, max(1, rows / Self.least))
        let capacityRows = max(Self.least / 2, Self.tileCapacity / max(depth, 1))
        rowTiles = max(rowTiles, (rows + capacityRows - 1) / capacityRows)
        let wantedColumnTiles = (Self.wantedTileCount + rowTiles - 1) / rowTiles
        let columnTiles = max(1, min(wantedColumnTiles, columns / Self.least))
        rowsPerTile = Self.evenly(rows, rowTiles)
        columnsPerTile = Self.evenly(columns, columnTiles)
        rowTileCount = max(1, (rows + rowsPerTile - 1) / rowsPerTile)
        columnTileCount = max(1, (columns + columnsPerTile - 1) / columnsPerTile)
    }

    /// The minimum multiply-adds that make a piece worth handing to a thread.
    private static let minimumPiece = 200_000
    /// Pieces per thread, so that threads finish close together.
    private static let piecesPerThread = 4

    /// The division of each of `count` products for kernels whose bits do not depend on it: first of the columns, whose
    /// panels are packed by each piece, then of the rows.
    package init(rows: Int, columns: Int, depth: Int, panelColumns: Int, count: Int, threads: Int) {
        let worthwhile = max(1, [rows, columns, depth].saturatingProduct / Self.minimumPiece)
        let wanted = threads == 1 ? 1 : min(worthwhile, max(1, Self.piecesPerThread * threads / max(count, 1)))
        let panels = max(1, (columns + panelColumns - 1) / panelColumns)
        columnsPerTile = (panels + wanted - 1) / wanted * panelColumns
        columnTileCount = max(1, (columns + columnsPerTile - 1) / columnsPerTile)
        let rowTiles = max(1, min((wanted + columnTileCount - 1) / columnTileCount, rows / Self.least))
        rowsPerTile = max(1, (rows + rowTiles - 1) / rowTiles)
        rowTileCount = max(1, (rows + rowsPerTile - 1) / rowsPerTile)
    }

    package var tileCount: Int { rowTileCount * columnTileCount }

    private static func evenly(_ extent: Int, _ parts: Int) -> Int {
        let part = (extent + parts - 1) / parts
        return max(granule, (part + granule - 1) / granule * granule)
    }
}
