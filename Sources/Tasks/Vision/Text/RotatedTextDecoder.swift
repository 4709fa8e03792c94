import Glibc
import Images

/// Finds words in the maps of EAST: how likely a cell of 4 × 4 pixels belongs to a word, and the rotated rectangle
/// around it (RBOX).
///
/// The rectangle of a cell at (x, y) in pixels has the distances t, r, b and l to its upper, right, lower and left edge
/// and the angle a:
///
///     lower right = (x + r · cos a + b · sin a, y − r · sin a + b · cos a)
///
/// Rectangles of neighboring cells, row after row, are merged where they overlap enough, weighted by their scores
/// (locality-aware suppression); of those that are left, the best of overlapping ones are kept. The confidence is the
/// mean of the scores in a rectangle.
///
/// Sources: https://arxiv.org/abs/1704.03155, and `detect` and `nms_locality` of https://github.com/argman/EAST
/// (`eval.py`, `locality_aware_nms.py`)
package struct RotatedTextDecoder: Sendable {
    /// The rectangle of a word.
    package struct Word {
        /// The corners in pixels of the input, clockwise from the upper left of the text.
        package let corners: [PixelPoint]
        /// The mean of the scores in it.
        package let score: Float
    }

    /// The score above which a cell belongs to a word.
    package var threshold: Float = 0.8
    /// Words whose mean score is not above are left out.
    package var minimumScore: Float = 0.1
    /// The intersection over union above which rectangles are merged or suppressed.
    package var overlap = 0.2

    /// The pixels of a cell along an axis.
    private static let stride = 4
    /// The maximum number of merged rectangles that are compared.
    private static let maximumCount = 3000

    package init() {}

    /// The words, those with the largest sum of scores first.
    ///
    /// - Parameters:
    ///   - scores: The scores, row after row.
    ///   - geometry: The distances to the upper, right, lower and left edge, and the angle, each row after row.
    package func words(scores: [Float], geometry: [[Float]], width: Int) -> [Word] {
        guard width > 0, geometry.count == 5, geometry.allSatisfy({ $0.count == scores.count }) else { return [] }
        let height = scores.count / width
        var merged: [(corners: [PixelPoint], score: Double)] = []
        for cell in scores.indices where scores[cell] > threshold {
            let rectangle = Self.rectangle(geometry.map { Double($0[cell]) }, cell % width, cell / width)
            guard rectangle.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { continue }
            let score = Double(scores[cell])
            if let last = merged.last, ConvexOverlap.ratio(rectangle, last.corners) > overlap {
                let total = score + last.score
                let corners = zip(rectangle, last.corners).map { own, other in
                    PixelPoint(
                        x: (own.x * score + other.x * last.score) / total,
                        y: (own.y * score + other.y * last.score) / total)
                }
                merged[merged.count - 1] = (corners, total)
            } else {
                merged.append((rectangle, score))
            }
        }
        let order = merged.indices.sorted { (merged[$1].score, $0) < (merged[$0].score, $1) }
        var kept: [[PixelPoint]] = []
        for index in order.prefix(Self.maximumCount) {
            let corners = merged[index].corners
            if !kept.contains(where: { ConvexOverlap.ratio($0, corners) > overlap }) { kept.append(corners) }
        }
        return kept.compactMap { corners in
            let score = Float(Self.mean(corners, of: scores, width, height))
            return score > minimumScore ? Word(corners: corners, score: score) : nil
        }
    }

    /// The corners of the rectangle that a cell gives, clockwise from the upper left of the text.
    private static func rectangle(_ numbers: [Double], _ column: Int, _ row: Int) -> [PixelPoint] {
        let (top, right, bottom, left) = (numbers[0], numbers[1], numbers[2], numbers[3])
        let (cosine, sine) = (cos(numbers[4]), sin(numbers[4]))
        let (width, height) = (left + right, top + bottom)
        let x = Double(column * stride) + cosine * right + sine * bottom
        let y = Double(row * stride) - sine * right + cosine * bottom
        return [
            PixelPoint(x: x - cosine * width - sine * height, y: y + sine * width - cosine * height),
            PixelPoint(x: x - sine * height, y: y - cosine * height), PixelPoint(x: x, y: y),
            PixelPoint(x: x - cosine * width, y: y + sine * width),
        ]
    }

    /// The mean of the scores in a rectangle, whose corners are rounded to cells.
    private static func mean(_ corners: [PixelPoint], of scores: [Float], _ width: Int, _ height: Int) -> Double {
        func cell(_ coordinate: Double, _ extent: Int) -> Double {
            let cell = (coordinate.rounded(.towardZero) / Double(stride)).rounded(.down)
            return min(max(cell, -Double(extent)), Double(2 * extent))
        }
        let cells = corners.map { PixelPoint(x: cell($0.x, width), y: cell($0.y, height)) }
        return ConvexFill(cells).mean(of: scores, width: width, height: height)
    }
}

/// The overlap of convex polygons.
enum ConvexOverlap {
    /// The area that both polygons cover ÷ the area that either covers; 0 for polygons that are not convex.
    static func ratio(_ first: [PixelPoint], _ second: [PixelPoint]) -> Double {
        guard boxesMeet(first, second), let one = turned(first), let other = turned(second) else { return 0 }
        let shared = area(intersection(one, other))
        let union = area(one) + area(other) - shared
        return union > 0 ? shared / union : 0
    }

    private static func boxesMeet(_ first: [PixelPoint], _ second: [PixelPoint]) -> Bool {
        func meet(_ coordinate: (PixelPoint) -> Double) -> Bool {
            let (one, other) = (first.map(coordinate), second.map(coordinate))
            return (one.min() ?? 0) <= (other.max() ?? 0) && (other.min() ?? 0) <= (one.max() ?? 0)
        }
        return meet(\.x) && meet(\.y)
    }

    private static func cross(_ start: PixelPoint, _ end: PixelPoint, _ point: PixelPoint) -> Double {
        (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
    }

    private static func area(_ corners: [PixelPoint]) -> Double {
        var sum = 0.0
        for (index, corner) in corners.enumerated() {
            let next = corners[(index + 1) % corners.count]
            sum += corner.x * next.y - corner.y * next.x
        }
        return sum / 2
    }

    /// The corners in the order in which the area is positive; nil where the polygon is not convex.
    private static func turned(_ corners: [PixelPoint]) -> [PixelPoint]? {
        let size = area(corners)
        guard size != 0, size.isFinite else { return nil }
        let ordered = size > 0 ? corners : corners.reversed()
        let isConvex = ordered.indices.allSatisfy { index in
            cross(
                ordered[index], ordered[(index + 1) % ordered.count], ordered[(index + 2) % ordered.count]) >= 0
        }
        return isConvex ? ordered : nil
    }

    /// The part of a polygon that lies in another (Sutherland and Hodgman).
    private static func intersection(_ subject: [PixelPoint], _ other: [PixelPoint]) -> [PixelPoint] {
        var result = subject
        for (index, start) in other.enumerated() {
            let end = other[(index + 1) % other.count]
            let points = result
            result = []
            for (position, point) in points.enumerated() {
                let before = points[(position + points.count - 1) % points.count]
                let (own, previous) = (cross(start, end, point), cross(start, end, before))
                if (own >= 0) != (previous >= 0) {
                    let share = previous / (previous - own)
                    result.append(
                        PixelPoint(
                            x: before.x + (point.x - before.x) * share, y: before.y + (point.y - before.y) * share))
                }
                if own >= 0 { result.append(point) }
            }
        }
        return result
    }
}
