/// How matrix products are cut into work-groups and work-items: the macros of `tile.cl`.
package struct MatrixTiles: Sendable, Hashable {
    /// What a work-group computes, and the depth that it holds in local memory.
    package var rows: Int
    package var columns: Int
    package var depth: Int
    /// What a work-item computes.
    package var itemRows: Int
    package var itemColumns: Int
    /// Adjacent columns of a vector.
    package var lanes = 4
    /// Whether the next tiles are read into registers while these are multiplied.
    package var prefetches = true
    /// The part of the device's full speed that a long product reaches.
    package var efficiency: Double

    /// Work-items of a group.
    var group: [Int] { [columns / itemColumns, rows / itemRows, 1] }
    var threadCount: Int { group[0] * group[1] }
    /// Two tiles of both operands.
    var localByteCount: Int { 2 * depth * (rows + 4 + columns) * 4 }

    var macros: [String: String] {
        [
            "TILE_M": "\(rows)", "TILE_N": "\(columns)", "TILE_K": "\(depth)", "ITEM_M": "\(itemRows)",
            "ITEM_N": "\(itemColumns)", "LANES": "\(lanes)", "PREFETCH": prefetches ? "1" : "0",
        ]
    }

    /// The ways of cutting that are worth trying on a device, largest first. None is measured; a tuner may be.
    package static func candidates(_ device: DeviceInformation) -> [MatrixTiles] {
        let all: [MatrixTiles]
        let vendor = device.vendor.lowercased()
        if device.kind == .processor {
            all = [
                MatrixTiles(
                    rows: 32, columns: 32, depth: 16, itemRows: 8, itemColumns: 8, lanes: 8, prefetches: false,
                    efficiency: 1),
                MatrixTiles(
                    rows: 8, columns: 32, depth: 16, itemRows: 2, itemColumns: 8, lanes: 8, prefetches: false,
                    efficiency: 0.5),
            ]
        } else if vendor.contains("intel") {
            all = [
                MatrixTiles(rows: 64, columns: 64, depth: 16, itemRows: 8, itemColumns: 4, efficiency: 0.6),
                MatrixTiles(rows: 32, columns: 64, depth: 16, itemRows: 4, itemColumns: 4, efficiency: 0.5),
                MatrixTiles(rows: 8, columns: 64, depth: 16, itemRows: 1, itemColumns: 4, efficiency: 0.2),
            ]
        } else {
            all = [
                MatrixTiles(rows: 128, columns: 128, depth: 16, itemRows: 8, itemColumns: 8, efficiency: 0.85),
                MatrixTiles(rows: 128, columns: 128, depth: 8, itemRows: 8, itemColumns: 8, efficiency: 0.8),
                MatrixTiles(rows: 128, columns: 64, depth: 16, itemRows: 8, itemColumns: 4, efficiency: 0.8),
                MatrixTiles(rows: 64, columns: 64, depth: 16, itemRows: 4, itemColumns: 4, efficiency: 0.6),
                MatrixTiles(rows: 32, columns: 64, depth: 16, itemRows: 2, itemColumns: 4, efficiency: 0.4),
                MatrixTiles(rows: 16, columns: 64, depth: 32, itemRows: 1, itemColumns: 4, efficiency: 0.25),
                MatrixTiles(rows: 8, columns: 128, depth: 32, itemRows: 1, itemColumns: 4, efficiency: 0.2),
            ]
        }
        let possible = all.filter {
            $0.threadCount <= device.largestWorkGroup && $0.localByteCount <= device.localMemoryByteCount
        }
        // Sixteen work-items of one row and four columns each need next to nothing.
        return possible.isEmpty
            ? [MatrixTiles(rows: 4, columns: 16, depth: 16, itemRows: 1, itemColumns: 4, efficiency: 0.1)] : possible
    }
}

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
