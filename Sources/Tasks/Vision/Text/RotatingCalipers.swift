/// Four lines around a convex polygon, at right angles to one another, that turn from edge to edge.
///
/// Source: `rotatingCalipers` of https://github.com/opencv/opencv, whose order and precision this keeps
struct RotatingCalipers {
    /// A rectangle by a corner and two sides.
    struct Rectangle {
        var corner: SIMD2<Float>
        var along: SIMD2<Float>
        var across: SIMD2<Float>
    }

    private let corners: [SIMD2<Float>]
    private let edges: [SIMD2<Float>]
    /// The inverse of each edge's length.
    private let inverses: [Float]

    /// - Parameter corners: At least three, counterclockwise where y grows upwards.
    init(_ corners: [SIMD2<Float>]) {
        self.corners = corners
        edges = corners.indices.map { corners[($0 + 1) % corners.count] - corners[$0] }
        inverses = edges.map { edge in
            let (x, y) = (Double(edge.x), Double(edge.y))
            return Float(1 / (x * x + y * y).squareRoot())
        }
    }

    /// The rectangle of the least area with a side on an edge; of equal ones, the last.
    var leastRectangle: Rectangle {
        // The lowest corner where y grows upwards, the rightmost, the highest and the leftmost; of equal ones, the
        // first.
        var touched = [first { $0.y < $1.y }, first { $0.x > $1.x }, first { $0.y > $1.y }, first { $0.x < $1.x }]
        var base = SIMD2<Float>(1, 0)
        var least: (area: Float, base: SIMD2<Float>, extents: SIMD2<Float>, left: Int, bottom: Int)?
        for _ in corners.indices {
            // The line that meets its next edge first.
            var main = 0
            for line in 1..<4 {
                let (next, best) = (turned(edges[touched[line]], line), turned(edges[touched[main]], main))
                if Self.sum(next.y * best.x, -next.x * best.y) < 0 { main = line }
            }
            base = turned(edges[touched[main]] * inverses[touched[main]], main)
            touched[main] = (touched[main] + 1) % corners.count
            let across = corners[touched[1]] - corners[touched[3]]
            let up = corners[touched[2]] - corners[touched[0]]
            let width = Self.sum(across.x * base.x, across.y * base.y)
            let height = Self.sum(-up.x * base.y, up.y * base.x)
            if width * height <= least?.area ?? .greatestFiniteMagnitude {
                least = (width * height, base, SIMD2(width, height), touched[3], touched[0])
            }
        }
        guard let least else { return Rectangle(corner: corners[0], along: .zero, across: .zero) }
        let (a, b) = (least.base.x, least.base.y)
        let (left, bottom) = (corners[least.left], corners[least.bottom])
        let first = Self.sum(a * left.x, left.y * b)
        let second = Self.sum(-b * bottom.x, bottom.y * a)
        let inverse = 1 / Self.sum(a * a, b * b)
        let corner = SIMD2(Self.sum(first * a, -second * b) * inverse, Self.sum(a * second, b * first) * inverse)
        return Rectangle(
            corner: corner, along: SIMD2(a, b) * least.extents.x, across: SIMD2(-b, a) * least.extents.y)
    }

    /// The sum of two rounded products.
    private static func sum(_ first: Float, _ second: Float) -> Float { first + second }

    /// A vector turned clockwise by right angles.
    private func turned(_ vector: SIMD2<Float>, _ rightAngles: Int) -> SIMD2<Float> {
        switch rightAngles {
        case 1: SIMD2(vector.y, -vector.x)
        case 2: -vector
        case 3: SIMD2(-vector.y, vector.x)
        default: vector
        }
    }

    /// The first corner before which none comes.
    private func first(_ isBefore: (SIMD2<Float>, SIMD2<Float>) -> Bool) -> Int {
        corners.indices.dropFirst().reduce(0) { isBefore(corners[$1], corners[$0]) ? $1 : $0 }
    }
}
