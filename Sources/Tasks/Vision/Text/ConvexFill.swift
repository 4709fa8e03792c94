import Images

/// The pixels of a convex polygon with whole corners: those on its edges, and those between.
struct ConvexFill {
    /// The columns by row.
    private(set) var rows: [Int: ClosedRange<Int>] = [:]

    init(_ corners: [PixelPoint]) {
        let points = corners.map { (x: Int($0.x), y: Int($0.y)) }
        for (index, start) in points.enumerated() { draw(start, points[(index + 1) % points.count]) }
    }

    private mutating func draw(_ start: (x: Int, y: Int), _ end: (x: Int, y: Int)) {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let count = max(abs(dx), abs(dy))
        for step in 0...count {
            let share = count == 0 ? 0 : Double(step) / Double(count)
            let x = start.x + Int((Double(dx) * share).rounded())
            let y = start.y + Int((Double(dy) * share).rounded())
            let known = rows[y] ?? x...x
            rows[y] = min(known.lowerBound, x)...max(known.upperBound, x)
        }
    }

    /// The mean of a map over the polygon; 0 when the polygon lies outside.
    func mean(of map: [Float], width: Int, height: Int) -> Double {
        var (sum, count) = (0.0, 0)
        // In one order, so that the sum has the same bits each time.
        for row in rows.keys.sorted() where (0..<height).contains(row) {
            guard let columns = rows[row] else { continue }
            let inside = Range(columns).clamped(to: 0..<width)
            for column in inside { sum += Double(map[row * width + column]) }
            count += inside.count
        }
        return count > 0 ? sum / Double(count) : 0
    }
}
