import Images
import Predicting

extension Image {
    /// Draws points and the lines between them.
    func draw(
        _ points: [Keypoint], _ skeleton: [[Int]], _ color: Preprocessing.Color, on canvas: inout Canvas
    ) {
        let places = points.map { point -> (x: Int, y: Int)? in
            guard point.confidence.map({ $0 >= Self.minimumDrawnConfidence }) ?? true,
                (-1...2).contains(point.x), (-1...2).contains(point.y)
            else { return nil }
            return (Int((point.x * Float(width)).rounded()), Int((point.y * Float(height)).rounded()))
        }
        let stroke = max(1, min(width, height) / 250)
        for pair in skeleton where pair.count == 2 && pair.allSatisfy(places.indices.contains) {
            guard let start = places[pair[0]], let end = places[pair[1]] else { continue }
            canvas.line(from: start, to: end, width: stroke, color)
        }
        // Many points would cover what they lie on.
        let radius = points.count > 100 ? stroke : stroke * 2
        for place in places.compactMap({ $0 }) {
            canvas.fill(
                columns: place.x - radius / 2..<place.x - radius / 2 + radius,
                rows: place.y - radius / 2..<place.y - radius / 2 + radius, points.count > 100 ? color : .white)
        }
    }

    /// The least confidence of points that are drawn.
    private static let minimumDrawnConfidence: Float = 0.3
}
