import CPUBackend
import Testing

@Suite("Pieces of a matrix product")
struct PackedProductPartitionTests {
    /// Rows, columns and depth of products of networks, and of odd sizes.
    static let products = [
        (1, 1000, 2048), (2, 7, 3), (8, 1000, 1280), (14, 32, 16), (49, 160, 960), (49, 2048, 512), (169, 48, 384),
        (196, 64, 384), (196, 1024, 256), (729, 32, 128), (3025, 16, 64), (12_544, 96, 16), (25_088, 256, 64),
    ]

    private static func tiling(
        _ product: (rows: Int, columns: Int, depth: Int), tile: (rows: Int, columns: Int), threads: Int
    ) -> PackedProductPartition {
        PackedProductPartition(
            rows: product.rows, columns: product.columns, depth: product.depth, rowByteCount: 4 * product.depth,
            segmentCount: 1, tileRows: tile.rows, panelColumns: tile.columns, threads: threads)
    }

    @Test("Every element is in exactly one piece, and no piece is empty", arguments: [(14, 32), (6, 16), (12, 8)])
    func coversExactlyOnce(tileRows: Int, panelColumns: Int) {
        for product in Self.products {
            for threads in 1...4 {
                let tiling = Self.tiling(product, tile: (tileRows, panelColumns), threads: threads)
                var panels = [Int](repeating: 0, count: product.0 * product.1)
                for index in 0..<tiling.pieceCount {
                    let piece = tiling.piece(index)
                    #expect(piece.rowCount > 0 && piece.columnCount > 0, "\(product) \(threads): \(index)")
                    #expect(piece.firstColumn % panelColumns == 0, "\(product) \(threads): \(index)")
                    for row in piece.firstRow..<piece.firstRow + piece.rowCount {
                        for column in piece.firstColumn..<piece.firstColumn + piece.columnCount {
                            panels[row * product.1 + column] += 1
                        }
                    }
                }
                #expect(panels.allSatisfy { $0 == 1 }, "\(product) on \(threads) threads")
            }
        }
    }

    @Test("Two threads get equal shares of the products of MobileNet v2")
    func sharesEvenly() {
        for product in [(196, 64, 384), (196, 384, 64), (196, 576, 96), (49, 160, 960), (49, 960, 160)] {
            let tiling = Self.tiling(product, tile: (14, 32), threads: 2)
            let work = (0..<tiling.pieceCount).map { tiling.piece($0).rowCount * tiling.piece($0).columnCount }
            let first = work[..<(tiling.pieceCount / 2)].reduce(0, +)
            #expect(abs(2 * first - product.0 * product.1) * 20 <= product.0 * product.1, "\(product): \(work)")
        }
    }
}
