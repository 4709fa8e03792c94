extension Canvas {
    /// Draws a straight line; what lies outside the picture is left out.
    ///
    /// - Parameter width: The width in pixels.
    package mutating func draw(
        from start: PixelPoint, to end: PixelPoint, width: Int, _ color: Preprocessing.Color
    ) {
        let longest = Double(2 * (size.width + size.height))
        let points = [start, end].map { point in
            PixelPoint(x: Self.limited(point.x, longest), y: Self.limited(point.y, longest))
        }
        let (across, down) = (points[1].x - points[0].x, points[1].y - points[0].y)
        let count = max(1, Int(max(abs(across), abs(down)).rounded(.up)))
        for step in 0...count {
            let share = Double(step) / Double(count)
            let x = Int((points[0].x + across * share).rounded()) - width / 2
            let y = Int((points[0].y + down * share).rounded()) - width / 2
            fill(columns: x..<x + width, rows: y..<y + width, color)
        }
    }

    private static func limited(_ coordinate: Double, _ longest: Double) -> Double {
        coordinate > -longest ? min(coordinate, longest) : -longest
    }
}
