import Planning

/// A product's tiles, and the number of parts into which its depth is divided.
struct MatrixDivision: Sendable {
    let tiles: MatrixTiles
    let parts: Int
    /// The depth of a part, a multiple of the tiles' depth.
    let partDepth: Int
    /// The expected cost in products that a compute unit makes in sequence; other work is converted to products.
    let cost: Double

    /// The division by given tiles whose last work-group finishes first, when each compute unit runs one group after
    /// another.
    init(_ tiles: MatrixTiles, of product: Product, computeUnitCount: Int) {
        let (rows, columns, depth) = (product.rows, product.columns, product.depth)
        let groups = Self.divideUp(rows, tiles.rows) * Self.divideUp(columns, tiles.columns) * product.stack
        var best = (cost: Double.infinity, parts: 1)
        for parts in product.isDivisible ? [1, 2, 4, 8, 16, 32] : [1] {
            let partDepth = Self.divideUp(Self.divideUp(depth, parts), tiles.depth) * tiles.depth
            if parts > 1, partDepth < 4 * tiles.depth { break }
            let waves = Self.divideUp(groups * parts, max(computeUnitCount, 1))
            let products = Double(tiles.rows * tiles.columns) * Double(partDepth + tiles.depth) / tiles.efficiency
            // Writing and reading an element of a part takes as long as about 100 products, and starting a kernel as
            // 500 000.
            let sums = parts > 1 ? 100 * Double(parts * rows * columns) / Double(computeUnitCount) + 500_000 : 0
            let cost = Double(waves) * products + sums
            if cost < best.cost { best = (cost, parts) }
        }
        self.tiles = tiles
        cost = best.cost
        partDepth = Self.divideUp(Self.divideUp(depth, best.parts), tiles.depth) * tiles.depth
        parts = Self.divideUp(depth, partDepth)
    }

    private static func divideUp(_ count: Int, _ unit: Int) -> Int { (count + unit - 1) / unit }
}

/// The extents of a stack of matrix products.
struct Product: Sendable {
    let rows: Int
    let columns: Int
    let depth: Int
    var stack = 1
    /// Whether the depth may be divided, at the cost of one more kernel that adds the parts.
    let isDivisible: Bool

    /// The division that is expected to be fastest.
    func bestDivision(_ tiles: [MatrixTiles], on device: DeviceInformation) -> MatrixDivision? {
        tiles.map { MatrixDivision($0, of: self, computeUnitCount: device.computeUnitCount) }.min { $0.cost < $1.cost }
    }

    /// A lowering's answer: the candidate with the tiles that are expected to be fastest, and candidates with the other
    /// tiles as alternatives.
    func answer(
        _ tiles: [MatrixTiles], on device: DeviceInformation, _ make: (MatrixDivision) -> Candidate
    ) -> LoweringAnswer {
        let divisions = tiles.map { MatrixDivision($0, of: self, computeUnitCount: device.computeUnitCount) }
        let ranked = divisions.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
            .map(\.element)
        guard let best = ranked.first else { return .decline("no tiles") }
        let usual = make(best)
        return .accept(
            usual.asVariant(best.tiles.name, microseconds: usual.microseconds),
            alternatives: ranked.dropFirst().map { division in
                make(division).asVariant(
                    division.tiles.name, microseconds: usual.microseconds * division.cost / best.cost)
            })
    }
}
