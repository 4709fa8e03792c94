import Images

/// Finds lines of text in a map with the probability that a pixel belongs to the middle of a line, as differentiable
/// binarization (DB) gives it.
///
/// Pixels above the threshold form regions. Each has a rotated rectangle of the least area, whose score is the mean of
/// the map in it. The rectangle grows by `area × ratio ÷ circumference`, since networks are trained on shrunken lines.
///
/// Sources: https://arxiv.org/abs/1911.08947, and `DBPostProcess` of https://github.com/RapidAI/RapidOCR, which gives
/// the same boxes to the pixel.
package struct TextMapDecoder: Sendable {
    /// A rectangle in the picture, with the mean of the map in it.
    package struct Box {
        package let corners: [PixelPoint]
        package let score: Float
    }

    /// The probability above which a pixel belongs to a line.
    package var threshold: Float = 0.3
    /// Rectangles with a smaller mean are left out.
    package var minimumScore: Float = 0.5
    /// The factor of growth.
    package var growth = 1.6
    /// The largest number of regions that are looked at.
    package var maximumCount = 1000

    /// Whether regions grow by a pixel to the right and below before they are outlined.
    package var dilatesRegions = true

    private static let minimumSide = 3.0

    package init() {}

    /// The lines of a map, in no particular order.
    ///
    /// - Parameters:
    ///   - map: The probabilities, row after row.
    ///   - size: The size of the picture that the whole map shows.
    package func boxes(in map: [Float], width: Int, height: Int, of size: ImageSize) -> [Box] {
        let shown = map.map { $0 > threshold }
        let mask = dilatesRegions ? dilated(shown, width: width) : shown
        return outlines(of: mask, width: width).suffix(maximumCount).reversed().compactMap { outline in
            guard let rectangle = MinimumAreaRectangle(around: outline.points, of: outline.kind),
                rectangle.shortSide >= Self.minimumSide
            else { return nil }
            let score = score(of: rectangle, in: map, width: width, height: height)
            guard score >= Double(minimumScore) else { return nil }
            let corners = rectangle.corners
            let distance = abs(PolygonOffset.area(corners)) * growth / PolygonOffset.circumference(corners)
            let polygon = PolygonOffset.grown(corners, by: distance)
            guard let grown = MinimumAreaRectangle(around: polygon, of: .polygon),
                grown.shortSide >= Self.minimumSide + 2
            else { return nil }
            let placed = grown.corners.map { corner in
                PixelPoint(
                    x: Self.place(corner.x, of: width, in: size.width),
                    y: Self.place(corner.y, of: height, in: size.height))
            }
            return Self.clipped(placed, to: size).map { Box(corners: $0, score: Float(score)) }
        }
    }

    /// A coordinate of the map in the picture, as a whole number. It is computed in single precision, as by NumPy.
    private static func place(_ coordinate: Double, of extent: Int, in edge: Int) -> Double {
        let exact = Float(coordinate) / Float(extent) * Float(edge)
        return Double(min(max(exact.rounded(.toNearestOrEven), 0), Float(edge)))
    }

    /// The corners within the picture, clockwise from the upper left; nil for a rectangle that is too small.
    private static func clipped(_ corners: [PixelPoint], to size: ImageSize) -> [PixelPoint]? {
        let sorted = corners.sorted { $0.x < $1.x }
        let (left, right) = (sorted[..<2].sorted { $0.y < $1.y }, sorted[2...].sorted { $0.y < $1.y })
        let ordered = [left[0], right[0], right[1], left[1]].map { corner in
            PixelPoint(
                x: min(max(corner.x, 0), Double(size.width - 1)), y: min(max(corner.y, 0), Double(size.height - 1)))
        }
        let sides = [ordered[0].distance(to: ordered[1]), ordered[0].distance(to: ordered[3])]
        return sides.allSatisfy { $0.rounded(.down) > minimumSide } ? ordered : nil
    }

    /// The mean of the map in a rectangle, whose corners are rounded towards its upper left.
    private func score(of rectangle: MinimumAreaRectangle, in map: [Float], width: Int, height: Int) -> Double {
        let (x, y) = (rectangle.corners.map(\.x), rectangle.corners.map(\.y))
        let left = min(max((x.min() ?? 0).rounded(.down), 0), Double(width - 1))
        let top = min(max((y.min() ?? 0).rounded(.down), 0), Double(height - 1))
        let corners = rectangle.corners.map { corner in
            PixelPoint(
                x: (corner.x - left).rounded(.towardZero) + left, y: (corner.y - top).rounded(.towardZero) + top)
        }
        return ConvexFill(corners).mean(of: map, width: width, height: height)
    }

    /// The mask with each pixel set whose left, upper or upper left neighbour is.
    private func dilated(_ mask: [Bool], width: Int) -> [Bool] {
        var result = mask
        for index in mask.indices where mask[index] {
            let isLast = index % width == width - 1
            if !isLast { result[index + 1] = true }
            guard index + width < mask.count else { continue }
            result[index + width] = true
            if !isLast { result[index + width + 1] = true }
        }
        return result
    }
}

extension TextMapDecoder {
    /// The outline of a region or of a hole in one, by points with the same convex hull.
    private struct Outline {
        let first: (row: Int, column: Int)
        let points: [PixelPoint]
        let isHole: Bool

        /// How OpenCV traces the outline.
        var kind: MinimumAreaRectangle.Outline {
            isHole ? .hole(first: PixelPoint(x: Double(first.column - 1), y: Double(first.row))) : .region
        }

        /// - Parameter pixels: The pixels of the outline that a run has.
        init(_ runs: [MaskRegions.Run], isHole: Bool, _ pixels: (MaskRegions.Run) -> [(row: Int, column: Int)]) {
            self.isHole = isHole
            first = runs.first.map { ($0.row, $0.columns.lowerBound) } ?? (0, 0)
            points = runs.flatMap { pixels($0).map { PixelPoint(x: Double($0.column), y: Double($0.row)) } }
        }
    }

    /// The outlines in the order of their first pixels.
    private func outlines(of mask: [Bool], width: Int) -> [Outline] {
        let lines = MaskRegions(mask, width: width, of: true, joinsDiagonally: true).regions.map { runs in
            Outline(runs, isHole: false) { [($0.row, $0.columns.lowerBound), ($0.row, $0.columns.upperBound - 1)] }
        }
        let last = mask.count / max(1, width) - 1
        let gaps = MaskRegions(mask, width: width, of: false, joinsDiagonally: false).regions.filter { runs in
            runs.allSatisfy {
                $0.row > 0 && $0.row < last && $0.columns.lowerBound > 0 && $0.columns.upperBound < width
            }
        }
        // The pixels around a hole.
        let holes = gaps.map { runs in
            Outline(runs, isHole: true) { run in
                let (first, last) = (run.columns.lowerBound, run.columns.upperBound - 1)
                return [
                    (run.row, first - 1), (run.row, last + 1), (run.row - 1, first), (run.row - 1, last),
                    (run.row + 1, first), (run.row + 1, last),
                ]
            }
        }
        return (lines + holes).sorted { $0.first < $1.first }
    }
}
