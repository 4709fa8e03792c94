import Glibc
import Images

/// Convex polygons made larger, with round corners.
///
/// Corners are whole numbers. An arc is a chain of chords, each at most 0.25 away from the arc.
/// Source: `ClipperOffset` of http://www.angusj.com/clipper2/Docs/Overview.htm, version 6, with `jtRound`
package enum PolygonOffset {
    /// The polygon at a distance.
    ///
    /// - Parameter corners: The corners of a convex polygon, rounded towards zero.
    package static func grown(_ corners: [PixelPoint], by distance: Double) -> [PixelPoint] {
        var path = withoutRepetition(
            corners.map { PixelPoint(x: $0.x.rounded(.towardZero), y: $0.y.rounded(.towardZero)) })
        guard path.count > 2, distance > 0, distance.isFinite else { return [] }
        if area(path) < 0 { path.reverse() }
        let normals = path.indices.map { normal(path[$0], path[($0 + 1) % path.count]) }
        let steps = min(.pi / acos(1 - min(0.25, distance * 0.25) / distance), distance * .pi)
        var result: [PixelPoint] = []
        for index in path.indices {
            let (before, after) = (normals[(index + path.count - 1) % path.count], normals[index])
            result += arc(around: path[index], from: before, to: after, distance, steps: steps)
        }
        return result
    }

    /// The points of an arc between two unit normals.
    ///
    /// - Parameter steps: The number of points of a full circle.
    private static func arc(
        around corner: PixelPoint, from first: PixelPoint, to last: PixelPoint, _ distance: Double, steps: Double
    ) -> [PixelPoint] {
        func place(_ direction: PixelPoint) -> PixelPoint {
            PixelPoint(
                x: (corner.x + direction.x * distance).rounded(.toNearestOrAwayFromZero),
                y: (corner.y + direction.y * distance).rounded(.toNearestOrAwayFromZero))
        }
        let sine = first.x * last.y - first.y * last.x
        let cosine = first.x * last.x + first.y * last.y
        if abs(sine * distance) < 1, cosine > 0 { return [place(first)] }
        let angle = atan2(min(max(sine, -1), 1), cosine)
        let count = max(Int((steps / (2 * .pi) * abs(angle)).rounded()), 1)
        let turn = 2 * Double.pi / steps
        let points = (0..<count).map { index in
            let (s, c) = (sin(turn * Double(index)), cos(turn * Double(index)))
            return place(PixelPoint(x: first.x * c - first.y * s, y: first.x * s + first.y * c))
        }
        return points + [place(last)]
    }

    private static func withoutRepetition(_ path: [PixelPoint]) -> [PixelPoint] {
        var result: [PixelPoint] = []
        for point in path where point != result.last { result.append(point) }
        if result.count > 1, result.first == result.last { result.removeLast() }
        return result
    }

    /// The unit normal of an edge, to the outside of a polygon of positive area.
    private static func normal(_ start: PixelPoint, _ end: PixelPoint) -> PixelPoint {
        let length = start.distance(to: end)
        return PixelPoint(x: (end.y - start.y) / length, y: (start.x - end.x) / length)
    }

    /// The area, positive when the corners turn from the x axis to the y axis.
    package static func area(_ corners: [PixelPoint]) -> Double {
        corners.indices.reduce(0.0) { sum, index in
            let (a, b) = (corners[index], corners[(index + 1) % corners.count])
            return sum + (a.x * b.y - b.x * a.y) / 2
        }
    }

    /// The sum of the edges' lengths.
    static func circumference(_ corners: [PixelPoint]) -> Double {
        corners.indices.reduce(0.0) { $0 + corners[$1].distance(to: corners[($1 + 1) % corners.count]) }
    }
}
