import CPUBackend
import Graphs
import Testing

@Suite("Tiles of matrix products")
struct ProductPartitionTests {
    @Test("Every row and column is in exactly one tile, and no tile is empty")
    func coversExactlyOnce() {
        var generator = SplitMix64(seed: 1)
        var extents = [(1, 1, 1), (16, 16, 1), (17, 15, 9), (12_769, 64, 27), (1, 1000, 512), (49, 4096, 25_088)]
        for _ in 0..<2000 {
            func extent(_ limit: Int) -> Int {
                let bound = Int.random(in: 1...limit, using: &generator)
                return Int.random(in: 1...bound, using: &generator)
            }
            extents.append((extent(20_000), extent(5000), extent(30_000)))
        }
        for (number, (rows, columns, depth)) in extents.enumerated() {
            let ofPanels = ProductPartition(
                rows: rows, columns: columns, depth: depth, panelColumns: [8, 16, 32][number % 3],
                count: 1 + number % 5,
                threads: 1 + number % 7)
            for tiling in [ProductPartition(rows: rows, columns: columns, depth: depth), ofPanels] {
                let name = "\(rows) × \(columns) × \(depth): \(tiling)"
                #expect(Self.covers(rows, tiling.rowsPerTile, tiling.rowTileCount), "\(name)")
                #expect(Self.covers(columns, tiling.columnsPerTile, tiling.columnTileCount), "\(name)")
                #expect(tiling.tileCount == tiling.rowTileCount * tiling.columnTileCount, "\(name)")
            }
        }
    }

    /// Whether `count` parts of equal extent, except for a possibly smaller last one, make up the whole.
    private static func covers(_ extent: Int, _ part: Int, _ count: Int) -> Bool {
        part >= 1 && (count - 1) * part < extent && extent <= count * part
    }

    @Test("A large product is cut into pieces enough for threads to share")
    func cutsLargeProducts() {
        #expect(ProductPartition(rows: 3136, columns: 64, depth: 576).tileCount >= 8)
        #expect(ProductPartition(rows: 1, columns: 4096, depth: 4096).tileCount >= 8)
        #expect(ProductPartition(rows: 4, columns: 8, depth: 8).tileCount == 1)
    }
}
