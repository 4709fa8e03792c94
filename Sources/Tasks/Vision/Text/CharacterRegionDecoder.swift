import Images

/// Finds words in the two maps of CRAFT: how likely a pixel belongs to the middle of a character (region), and to the
/// space between two characters of one word (link).
///
/// Pixels above the thresholds form components. The pixels of a component that only the link has are dropped, the rest
/// grows by `2 · √(area × shorter side ÷ area of the bounding box)` pixels, and the rectangle of the least area around
/// it is the word.
///
/// Source: `getDetBoxes_core` of https://github.com/clovaai/CRAFT-pytorch (`craft_utils.py`)
package struct CharacterRegionDecoder: Sendable {
    /// The rectangle of a word.
    package struct Word {
        /// The corners in pixels of the map, clockwise from the one nearest to the upper left.
        package let corners: [PixelPoint]
        /// The largest region score in the component.
        package let score: Float
    }

    /// The score above which a pixel belongs to a character.
    package var regionThreshold: Float = 0.4
    /// The score above which a pixel links two characters.
    package var linkThreshold: Float = 0.4
    /// Components whose largest region score is below are left out.
    package var minimumScore: Float = 0.7

    private static let minimumArea = 10
    /// The difference of a ratio of sides from 1 up to which a rectangle counts as a square, and stands upright.
    private static let squareTolerance = 0.1

    package init() {}

    /// The words of two maps, in the order of their first pixels.
    ///
    /// - Parameters:
    ///   - region: The region scores, row after row.
    ///   - link: The link scores, as many.
    package func words(region: [Float], link: [Float], width: Int) -> [Word] {
        guard width > 0, region.count == link.count else { return [] }
        let height = region.count / width
        let mask = zip(region, link).map { $0 > regionThreshold || $1 > linkThreshold }
        return MaskRegions(mask, width: width, of: true, joinsDiagonally: false).regions.compactMap { runs in
            let area = runs.reduce(0) { $0 + $1.columns.count }
            guard area >= Self.minimumArea else { return nil }
            var score = -Float.infinity
            for run in runs {
                let start = run.row * width
                for column in run.columns { score = max(score, region[start + column]) }
            }
            guard score >= minimumScore else { return nil }
            let points = grown(runs, by: growth(of: runs, area), region, width: width, height: height)
            return corners(around: points, width: width, height: height).map { Word(corners: $0, score: score) }
        }
    }

    private func growth(of runs: [MaskRegions.Run], _ area: Int) -> Int {
        let left = runs.lazy.map(\.columns.lowerBound).min() ?? 0
        let right = runs.lazy.map(\.columns.upperBound).max() ?? 0
        let (across, down) = (right - left, (runs.last?.row ?? 0) - (runs.first?.row ?? 0) + 1)
        return Int((Double(area * min(across, down)) / Double(across * down)).squareRoot() * 2)
    }

    /// The corners of the runs of character pixels, after dilation by a square of `growth + 1` pixels whose middle lies
    /// below and right of the exact one where the side is even.
    private func grown(
        _ runs: [MaskRegions.Run], by growth: Int, _ region: [Float], width: Int, height: Int
    ) -> [PixelPoint] {
        let side = growth + 1
        let (before, after) = (side - 1 - side / 2, side / 2)
        var points: [PixelPoint] = []
        for run in runs {
            let pixels = run.columns.filter { region[run.row * width + $0] > regionThreshold }
            guard let first = pixels.first, let last = pixels.last else { continue }
            for column in [max(first - before, 0), min(last + after, width - 1)] {
                for row in [max(run.row - before, 0), min(run.row + after, height - 1)] {
                    points.append(PixelPoint(x: Double(column), y: Double(row)))
                }
            }
        }
        return points
    }

    /// The corners of the rectangle, clockwise from the one with the least sum of coordinates; nil for points on a
    /// line.
    private func corners(around points: [PixelPoint], width: Int, height: Int) -> [PixelPoint]? {
        guard let rectangle = MinimumAreaRectangle(around: points) else { return nil }
        var corners = rectangle.corners.map { corner in
            PixelPoint(
                x: min(max(corner.x, 0), Double(width)), y: min(max(corner.y, 0), Double(height)))
        }
        let sides = (corners[0].distance(to: corners[1]), corners[1].distance(to: corners[2]))
        let ratio = max(sides.0, sides.1) / (min(sides.0, sides.1) + 1e-5)
        if abs(1 - ratio) <= Self.squareTolerance {
            let (x, y) = (points.map(\.x), points.map(\.y))
            guard let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() else { return nil }
            corners = [(left, top), (right, top), (right, bottom), (left, bottom)].map { PixelPoint(x: $0, y: $1) }
        }
        let sums = corners.map { $0.x + $0.y }
        let start = sums.indices.min { sums[$0] < sums[$1] } ?? 0
        return Array(corners[start...] + corners[..<start])
    }
}
