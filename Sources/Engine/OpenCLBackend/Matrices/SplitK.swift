import Planning

/// A product's tiles, and the number of parts into which its depth is divided.
struct SplitK: Sendable {
    let tiles: TileShape
    let parts: Int
    /// The depth of a part, a multiple of the tiles' depth.
    let partDepth: Int
    /// The expected microseconds of the arithmetic, and of adding the parts.
    let microseconds: Double

    /// The division by given tiles whose last work-group finishes first. A compute unit is busy with all of its groups,
    /// or waits for the memory that the tiles of one group need after another.
    init(_ tiles: TileShape, of product: Product, at speed: OpenCLSpeed) {
        let (rows, columns, depth) = (product.rows, product.columns, product.depth)
        let groups = Self.divideUp(rows, tiles.rows) * Self.divideUp(columns, tiles.columns) * product.stack
        var best = (microseconds: Double.infinity, parts: 1)
        for parts in product.isDivisible ? [1, 2, 4, 8, 16, 32] : [1] {
            let partDepth = Self.divideUp(Self.divideUp(depth, parts), tiles.depth) * tiles.depth
            if parts > 1, partDepth < 4 * tiles.depth { break }
            let unitGroups = Self.divideUp(groups * parts, speed.unitCount)
            let steps = Double(partDepth / tiles.depth + tiles.extraSteps)
            let products = steps * Double(tiles.rows * tiles.columns * tiles.depth) / tiles.efficiency
            let busy = Double(unitGroups) * products / speed.unitMultiplyAddsPerMicrosecond
            let waiting =
                Double(Self.divideUp(unitGroups, tiles.groupsPerUnit) * tiles.cyclesPerStep) * steps
                / speed.cyclesPerMicrosecond
            let sums = parts > 1 ? speed.microseconds(multiplyAdds: 0, byteCount: 8 * parts * rows * columns) : 0
            let microseconds = max(busy, waiting) + sums
            if microseconds < best.microseconds { best = (microseconds, parts) }
        }
        self.tiles = tiles
        microseconds = best.microseconds
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
    func bestDivision(_ tiles: [TileShape], at speed: OpenCLSpeed) -> SplitK? {
        tiles.map { SplitK($0, of: self, at: speed) }.min { $0.microseconds < $1.microseconds }
    }

    /// A lowering's answer: the candidate with the tiles that are expected to be fastest, and candidates with the other
    /// tiles as alternatives.
    func answer(
        _ tiles: [TileShape], at speed: OpenCLSpeed, _ make: (SplitK) -> Candidate
    ) -> LoweringResponse {
        let divisions = tiles.map { SplitK($0, of: self, at: speed) }
        let ranked = divisions.enumerated()
            .sorted { ($0.element.microseconds, $0.offset) < ($1.element.microseconds, $1.offset) }
            .map { (candidate: make($0.element), name: $0.element.tiles.name) }
            .map { $0.candidate.asVariant($0.name, microseconds: $0.candidate.microseconds) }
        guard let best = ranked.first else { return .decline("no tiles") }
        return .accept(best, alternatives: Array(ranked.dropFirst()))
    }
}

extension OpenCLSpeed {
    /// Expected microseconds of a product.
    func microseconds(_ division: SplitK, byteCount: Int) -> Double {
        startMicroseconds + max(division.microseconds, Double(byteCount) / bytesPerMicrosecond)
    }
}
