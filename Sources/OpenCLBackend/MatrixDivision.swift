/// A product's tiles, and how many parts its depth is cut into.
struct MatrixDivision: Sendable {
    let tiles: MatrixTiles
    let parts: Int
    /// Depth of a part, a multiple of the tiles' depth.
    let partDepth: Int

    /// The division whose last work-group is done first, when each compute unit takes one group after the other.
    ///
    /// - Parameter isDivisible: Whether the depth may be cut, for one more kernel that adds the parts.
    init(
        _ candidates: [MatrixTiles], rows: Int, columns: Int, depth: Int, stack: Int, isDivisible: Bool,
        computeUnitCount: Int
    ) {
        var best: (time: Double, tiles: MatrixTiles, parts: Int)?
        for tiles in candidates {
            let groups = Self.divideUp(rows, tiles.rows) * Self.divideUp(columns, tiles.columns) * stack
            for parts in isDivisible ? [1, 2, 4, 8, 16, 32] : [1] {
                let partDepth = Self.divideUp(Self.divideUp(depth, parts), tiles.depth) * tiles.depth
                if parts > 1, partDepth < 4 * tiles.depth { break }
                let waves = Self.divideUp(groups * parts, max(computeUnitCount, 1))
                let products = Double(tiles.rows * tiles.columns) * Double(partDepth + tiles.depth) / tiles.efficiency
                // Writing and reading an element of a part is worth about 100 products; starting a kernel 500 000.
                let sums = parts > 1 ? 100 * Double(parts * rows * columns) / Double(computeUnitCount) + 500_000 : 0
                let time = Double(waves) * products + sums
                if best.map({ time < $0.time }) ?? true { best = (time, tiles, parts) }
            }
        }
        tiles = best?.tiles ?? candidates[0]
        partDepth = Self.divideUp(Self.divideUp(depth, best?.parts ?? 1), tiles.depth) * tiles.depth
        parts = Self.divideUp(depth, partDepth)
    }

    private static func divideUp(_ count: Int, _ unit: Int) -> Int { (count + unit - 1) / unit }
}
