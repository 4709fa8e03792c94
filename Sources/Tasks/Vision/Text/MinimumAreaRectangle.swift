import Glibc
import Images

/// The rectangle of the least area around points. One of its sides lies on the points' convex hull.
///
/// The bits are those of OpenCV 5: it looks at the edges of the hull in a certain order, of equal areas takes the last,
/// and computes in single precision. A corner that should be a whole number may be a little less.
///
/// Source: `minAreaRect` and `boxPoints` of https://github.com/opencv/opencv
package struct MinimumAreaRectangle {
    /// What points are around, which tells where OpenCV begins with the hull's corners.
    package enum Outline: Sendable {
        /// Points in no order.
        case points
        /// A polygon of Clipper, which ends at its uppermost corner, the rightmost of several.
        case polygon
        /// The outline of a region, which begins at its uppermost pixel, the leftmost of several, and runs
        /// counterclockwise.
        case region
        /// The outline around a hole, which begins left of the hole's first pixel and runs clockwise.
        case hole(first: PixelPoint)
    }

    /// The corners, clockwise from the upper left, as `get_mini_boxes` of https://github.com/RapidAI/RapidOCR orders
    /// them.
    package let corners: [PixelPoint]
    /// The length of the shorter side.
    package let shortSide: Double

    /// - Returns: Nil for points on one line.
    package init?(around points: [PixelPoint], of outline: Outline = .points) {
        let hull = ConvexHull.corners(of: points)
        guard hull.count > 2, hull.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
        let start = Self.start(of: hull, outline)
        let ordered = Array(hull[start...] + hull[..<start]).map { SIMD2(Float($0.x), Float($0.y)) }
        let sides = RotatingCalipers(ordered).leastRectangle
        let center = sides.corner + (sides.along + sides.across) * 0.5
        // The angle lies from -90 to 0 degrees, and the width is that of the side in its direction.
        var angle = Float(atan2(-Double(sides.along.x), Double(sides.along.y)) * 180 / .pi)
        var (width, height) = (Self.length(sides.across), Self.length(sides.along))
        if angle >= 0 {
            (angle, width, height) = (angle - 90, height, width)
        } else if angle < -90 {
            (angle, width, height) = (angle + 90, height, width)
        }
        let radians = Double(angle) * .pi / 180
        let (sine, cosine) = (Float(sin(radians)) * 0.5, Float(cos(radians)) * 0.5)
        // The halves of the two sides, which are added one after the other.
        let (first, second) = (SIMD2(sine * height, -cosine * height), SIMD2(cosine * width, sine * width))
        let corners = [
            center - first - second, center + first - second, center + first + second, center - first + second,
        ]
        self.corners = Self.ordered(corners)
        shortSide = Double(min(width, height))
    }

    private static func length(_ side: SIMD2<Float>) -> Float {
        let (x, y) = (Double(side.x), Double(side.y))
        return Float((x * x + y * y).squareRoot())
    }

    /// The corner of the hull with which OpenCV begins.
    private static func start(of hull: [PixelPoint], _ outline: Outline) -> Int {
        func top(_ first: PixelPoint, _ second: PixelPoint) -> Bool { (first.y, first.x) < (second.y, second.x) }
        func index(_ isBefore: (PixelPoint, PixelPoint) -> Bool) -> Int {
            hull.indices.min { isBefore(hull[$0], hull[$1]) } ?? 0
        }
        switch outline {
        case .points: return index { ($0.x, $0.y) > ($1.x, $1.y) }
        case .polygon: return (index { ($0.y, -$0.x) < ($1.y, -$1.x) } + 1) % hull.count
        case .region: return (index(top) + 1) % hull.count
        case .hole(let first): return hull.firstIndex(of: first) ?? index(top)
        }
    }

    /// The two corners on the left and the two on the right, the upper one of each first.
    private static func ordered(_ corners: [SIMD2<Float>]) -> [PixelPoint] {
        let sorted = corners.map { PixelPoint(x: Double($0.x), y: Double($0.y)) }.sorted { $0.x < $1.x }
        let (left, right) = (sorted[..<2].sorted { $0.y < $1.y }, sorted[2...].sorted { $0.y < $1.y })
        return [left[0], right[0], right[1], left[1]]
    }
}
