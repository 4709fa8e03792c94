/// A map of the plane that keeps straight lines straight:
///
///     x′ = (m₀ x + m₁ y + m₂) ÷ (m₆ x + m₇ y + 1),  y′ = (m₃ x + m₄ y + m₅) ÷ (m₆ x + m₇ y + 1)
public struct PerspectiveTransform: Sendable, Equatable {
    /// The eight numbers m₀ to m₇.
    let numbers: [Double]

    /// The map of four points to four others.
    ///
    /// - Returns: Nil when there are not four of each, or when three of them lie on a line.
    public init?(from points: [PixelPoint], to images: [PixelPoint]) {
        guard points.count == 4, images.count == 4 else { return nil }
        var rows: [[Double]] = []
        for (point, image) in zip(points, images) {
            rows.append([point.x, point.y, 1, 0, 0, 0, -point.x * image.x, -point.y * image.x, image.x])
            rows.append([0, 0, 0, point.x, point.y, 1, -point.x * image.y, -point.y * image.y, image.y])
        }
        guard let solution = Self.solution(of: rows) else { return nil }
        numbers = solution
    }

    /// The turn, uniform scaling and shift that bring points nearest to others, by least squares.
    ///
    ///     x′ = a x − b y + c,  y′ = b x + a y + d
    ///
    /// - Returns: Nil when there are not as many of each, fewer than two, or all points are one.
    public init?(turning points: [PixelPoint], onto images: [PixelPoint]) {
        guard points.count == images.count, points.count >= 2 else { return nil }
        let (center, target) = (Self.mean(points), Self.mean(images))
        var (a, b, square) = (0.0, 0.0, 0.0)
        for (point, image) in zip(points, images) {
            let (x, y) = (point.x - center.x, point.y - center.y)
            let (u, v) = (image.x - target.x, image.y - target.y)
            a += x * u + y * v
            b += x * v - y * u
            square += x * x + y * y
        }
        guard square > 0, (a * a + b * b).isNormal else { return nil }
        (a, b) = (a / square, b / square)
        let (c, d) = (target.x - a * center.x + b * center.y, target.y - b * center.x - a * center.y)
        numbers = [a, -b, c, b, a, d, 0, 0]
        guard numbers.allSatisfy(\.isFinite) else { return nil }
    }

    /// The place of a point.
    public func applied(to point: PixelPoint) -> PixelPoint {
        let (x, y, m) = (point.x, point.y, numbers)
        let scale = m[6] * x + m[7] * y + 1
        return PixelPoint(
            x: (m[0] * x + m[1] * y + m[2]) / scale, y: (m[3] * x + m[4] * y + m[5]) / scale)
    }

    /// The map back; nil when there is none.
    public var inverse: PerspectiveTransform? {
        let m = numbers + [1]
        let cofactors = [
            m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
            m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
            m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
        ]
        guard cofactors[8].isNormal else { return nil }
        return PerspectiveTransform(numbers: cofactors.dropLast().map { $0 / cofactors[8] })
    }

    private init?(numbers: [Double]) {
        guard numbers.allSatisfy(\.isFinite) else { return nil }
        self.numbers = numbers
    }

    private static func mean(_ points: [PixelPoint]) -> PixelPoint {
        let count = Double(points.count)
        return PixelPoint(
            x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
    }

    /// The solution of linear equations, by elimination with the largest pivot of each column.
    ///
    /// - Parameter equations: The factors of each equation, with its right side behind them.
    private static func solution(of equations: [[Double]]) -> [Double]? {
        var rows = equations
        let count = rows.count
        for column in 0..<count {
            guard let pivot = (column..<count).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
                abs(rows[pivot][column]) > 1e-12
            else { return nil }
            rows.swapAt(column, pivot)
            for row in 0..<count where row != column {
                let factor = rows[row][column] / rows[column][column]
                for place in column...count { rows[row][place] -= factor * rows[column][place] }
            }
        }
        let solution = (0..<count).map { rows[$0][count] / rows[$0][$0] }
        return solution.allSatisfy(\.isFinite) ? solution : nil
    }
}
