import Images

/// The corners of the smallest convex region around points.
package enum ConvexHull {
    /// The hull, counterclockwise where y grows upwards, without points on its edges.
    package static func corners(of points: [PixelPoint]) -> [PixelPoint] {
        let sorted = Set(points).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        guard sorted.count > 2 else { return sorted }
        return chain(sorted).dropLast() + chain(sorted.reversed()).dropLast()
    }

    private static func chain(_ points: [PixelPoint]) -> [PixelPoint] {
        var chain: [PixelPoint] = []
        for point in points {
            while chain.count >= 2, turn(chain[chain.count - 2], chain[chain.count - 1], point) <= 0 {
                chain.removeLast()
            }
            chain.append(point)
        }
        return chain
    }

    /// Twice the area of a triangle; positive for a turn to the left.
    private static func turn(_ a: PixelPoint, _ b: PixelPoint, _ c: PixelPoint) -> Double {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }
}
