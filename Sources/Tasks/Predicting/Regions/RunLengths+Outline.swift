import Images

extension RunLengths {
    /// The border of a mask: closed lines along the edges of its pixels, each as `[x, y, x, y, …]` in pixels from the
    /// upper left corner of the picture.
    public struct Outline: Sendable, Equatable {
        /// The outer borders, clockwise. Pixels that touch only at a corner have borders of their own.
        public var polygons: [[Int]] = []
        /// The borders of holes, counterclockwise.
        public var holes: [[Int]] = []
    }

    /// The border of the mask.
    public var outline: Outline {
        var tracer = OutlineTracer(self)
        return tracer.outline()
    }
}

/// Follows the edges of pixels with the mask on the right hand.
private struct OutlineTracer {
    private let width: Int
    private let height: Int
    private var isInside: [Bool]
    /// Whether the upper edge of a pixel has been followed.
    private var isFollowed: [Bool]

    package init(_ runs: RunLengths) {
        let count = runs.size.width * runs.size.height
        (width, height) = (runs.size.width, runs.size.height)
        (isInside, isFollowed) = ([Bool](repeating: false, count: count), [Bool](repeating: false, count: count))
        let width = width
        var inside = isInside
        runs.forEachRun { column, rows in
            for row in rows { inside[row * width + column] = true }
        }
        isInside = inside
    }

    private func contains(_ x: Int, _ y: Int) -> Bool {
        x >= 0 && y >= 0 && x < width && y < height && isInside[y * width + x]
    }

    package mutating func outline() -> RunLengths.Outline {
        var outline = RunLengths.Outline()
        for y in 0..<height {
            for x in 0..<width where contains(x, y) && !contains(x, y - 1) && !isFollowed[y * width + x] {
                let line = follow(fromX: x, y: y)
                if Self.doubledArea(of: line) > 0 { outline.polygons.append(line) } else { outline.holes.append(line) }
            }
        }
        return outline
    }

    /// The closed line that begins with the upper edge of a pixel; its corners.
    private mutating func follow(fromX startX: Int, y startY: Int) -> [Int] {
        var line: [Int] = []
        var (x, y, across, down) = (startX, startY, 1, 0)
        repeat {
            if across == 1 { isFollowed[y * width + x] = true }
            (x, y) = (x + across, y + down)
            // The pixels ahead, to the right and to the left of the way.
            let right = (x: x + (across - down - 1) / 2, y: y + (down + across - 1) / 2)
            let left = (x: x + (across + down - 1) / 2, y: y + (down - across - 1) / 2)
            if !contains(right.x, right.y) {
                line += [x, y]
                (across, down) = (-down, across)
            } else if contains(left.x, left.y) {
                line += [x, y]
                (across, down) = (down, -across)
            }
        } while (x, y, across, down) != (startX, startY, 1, 0)
        return line
    }

    /// Twice the area within a line; above 0 for one that goes clockwise, as y grows downwards.
    private static func doubledArea(of line: [Int]) -> Int {
        stride(from: 0, to: line.count, by: 2).reduce(0) { sum, place in
            let next = (place + 2) % line.count
            return sum + line[place] * line[next + 1] - line[next] * line[place + 1]
        }
    }
}
