import Images

/// The rectangle of the least area around points. One of its sides lies on the points' convex hull.
package struct MinimumAreaRectangle {
    /// The corners, clockwise from the upper left, as `get_mini_boxes` of https://github.com/RapidAI/RapidOCR orders
    /// them.
    package let corners: [PixelPoint]
    /// The length of the shorter side.
    package let shortSide: Double

    /// - Returns: Nil for points on one line.
    package init?(around points: [PixelPoint]) {
        let hull = ConvexHull.corners(of: points)
        guard hull.count > 2 else { return nil }
        var best: (area: Double, corners: [PixelPoint], side: Double)?
        for (index, start) in hull.enumerated() {
            let end = hull[(index + 1) % hull.count]
            let length = start.distance(to: end)
            let (u, v) = ((end.x - start.x) / length, (end.y - start.y) / length)
            let along = hull.map { $0.x * u + $0.y * v }
            let across = hull.map { $0.y * u - $0.x * v }
            guard let left = along.min(), let right = along.max(), let low = across.min(), let high = across.max()
            else { continue }
            let area = (right - left) * (high - low)
            guard area < best?.area ?? .infinity else { continue }
            let corners = [(left, low), (right, low), (right, high), (left, high)].map { a, b in
                PixelPoint(x: a * u - b * v, y: a * v + b * u)
            }
            best = (area, corners, min(right - left, high - low))
        }
        guard let best else { return nil }
        corners = Self.ordered(best.corners)
        shortSide = best.side
    }

    /// The two corners on the left and the two on the right, the upper one of each first.
    private static func ordered(_ corners: [PixelPoint]) -> [PixelPoint] {
        let sorted = corners.map { PixelPoint(x: Double(Float($0.x)), y: Double(Float($0.y))) }.sorted { $0.x < $1.x }
        let (left, right) = (sorted[..<2].sorted { $0.y < $1.y }, sorted[2...].sorted { $0.y < $1.y })
        return [left[0], right[0], right[1], left[1]]
    }
}
