import Images

extension RunLengths {
    /// The number of points by which an outline may cross columns of pixels; longer ones are refused.
    private static let maximumOutline = 1 << 22
    /// Outlines are drawn on a grid of this many points for each pixel.
    private static let scale = 5.0

    /// The pixels within a polygon, bit for bit as COCO's tools draw it: the outline is a line on a grid of five points
    /// for each pixel, and where it passes from one column of pixels to the next, a run begins or ends.
    ///
    /// - Parameter polygon: The coordinates of the corners in pixels, x₀, y₀, x₁, y₁, ….
    /// - Throws: ``MaskError`` for fewer than three corners, and for coordinates far beyond the picture.
    ///
    /// Source: `rleFrPoly` in `maskApi.c` of https://github.com/cocodataset/cocoapi
    package init(polygon: [Double], size: ImageSize) throws(MaskError) {
        guard polygon.count >= 6, polygon.count.isMultiple(of: 2) else {
            throw MaskError(description: "a polygon of \(polygon.count) coordinates")
        }
        guard polygon.allSatisfy({ abs($0) <= 1e6 }) else { throw MaskError(description: "a corner far outside") }
        let (area, overflow) = size.width.multipliedReportingOverflow(by: size.height)
        guard size.width > 0, size.height > 0, !overflow, area <= Self.maximumArea else {
            throw MaskError(description: "a mask of \(size.width)x\(size.height) pixels")
        }
        let corners = stride(from: 0, to: polygon.count, by: 2).map {
            GridPoint(x: Int(Self.scale * polygon[$0] + 0.5), y: Int(Self.scale * polygon[$0 + 1] + 0.5))
        }
        var changes = try Self.crossings(of: Self.outline(corners), size)
        changes.append(area)
        changes.sort()
        var (runs, previous) = ([Int](), 0)
        for change in changes {
            runs.append(change - previous)
            previous = change
        }
        self.init(size: size, counts: Self.withoutEmptyRuns(runs))
    }

    /// A point of the fine grid.
    private struct GridPoint {
        let x: Int
        let y: Int
    }

    /// The points of the closed line through the corners.
    private static func outline(_ corners: [GridPoint]) throws(MaskError) -> [GridPoint] {
        var points: [GridPoint] = []
        for (index, start) in corners.enumerated() {
            let end = corners[(index + 1) % corners.count]
            let (width, height) = (abs(end.x - start.x), abs(end.y - start.y))
            let isFlat = width >= height
            guard points.count + max(width, height) < maximumOutline else {
                throw MaskError(description: "an outline of more than \(maximumOutline) points")
            }
            // Lines are drawn with a rising coordinate, so that both directions give the same points.
            let isTurned = isFlat ? start.x > end.x : start.y > end.y
            let (a, b) = isTurned ? (end, start) : (start, end)
            let length = max(width, height)
            let slope = length == 0 ? 0 : Double(isFlat ? b.y - a.y : b.x - a.x) / Double(length)
            for step in 0...length {
                let t = isTurned ? length - step : step
                let across = Int(Double(isFlat ? a.y : a.x) + slope * Double(t) + 0.5)
                points.append(isFlat ? GridPoint(x: a.x + t, y: across) : GridPoint(x: across, y: a.y + t))
            }
        }
        return points
    }

    /// The positions of the pixels, column after column, at which a line passes from one column to the next.
    private static func crossings(of points: [GridPoint], _ size: ImageSize) throws(MaskError) -> [Int] {
        var positions: [Int] = []
        for (previous, point) in zip(points, points.dropFirst()) where point.x != previous.x {
            let x = (Double(point.x < previous.x ? point.x : point.x - 1) + 0.5) / scale - 0.5
            guard x.rounded(.down) == x, x >= 0, x <= Double(size.width - 1) else { continue }
            let y = (Double(min(point.y, previous.y)) + 0.5) / scale - 0.5
            let row = min(max(y, 0), Double(size.height)).rounded(.up)
            positions.append(Int(x) * size.height + Int(row))
        }
        return positions
    }

    /// Joins runs between which there is nothing; the first may be empty.
    private static func withoutEmptyRuns(_ runs: [Int]) -> [Int] {
        var result = Array(runs.prefix(1))
        var index = 1
        while index < runs.count {
            if runs[index] > 0 {
                result.append(runs[index])
                index += 1
            } else {
                if index + 1 < runs.count { result[result.count - 1] += runs[index + 1] }
                index += 2
            }
        }
        return result
    }
}
