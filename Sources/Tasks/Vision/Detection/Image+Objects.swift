import Images
import Predicting

extension Image {
    /// The picture with a box, turned where it is, around each object and a caption: the object's class, confidence and
    /// track.
    ///
    ///     let drawn = try image.drawing(try await detector.predict(.image(image)).objects)
    public func drawing(_ objects: [RecognizedObject]) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        let shortest = min(width, height)
        let (stroke, scale) = (max(1, shortest / 200), max(1, shortest / 300))
        // The object with the most confidence is drawn last, above the others.
        for object in objects.reversed() {
            let color = Self.colors[(object.trackID ?? object.labels.first?.index ?? 0) % Self.colors.count]
            let box = object.box.pixels(in: size)
            let left = Int(max(0, box.x).rounded())
            let top = Int(max(0, box.y).rounded())
            let right = max(left + 1, Int(min(Float(width), box.x + box.width).rounded()))
            let bottom = max(top + 1, Int(min(Float(height), box.y + box.height).rounded()))
            if let corners = Quadrilateral(object.corners.map { pixel($0) })?.corners {
                for index in 0..<4 {
                    canvas.draw(from: corners[index], to: corners[(index + 1) % 4], width: stroke, color)
                }
            } else {
                canvas.stroke(columns: left..<right, rows: top..<bottom, width: stroke, color)
            }
            let text = Self.caption(object)
            let extent = Canvas.extent(of: text, scale: scale)
            let x = max(0, min(left, width - extent.width))
            let y = top >= extent.height ? top - extent.height : min(top, max(0, height - extent.height))
            canvas.write(text, x: x, y: y, scale: scale, color.ofText, on: color)
        }
        return try canvas.image()
    }

    /// A point in pixels.
    private func pixel(_ point: SIMD2<Float>) -> PixelPoint {
        PixelPoint(x: Double(point.x) * Double(width), y: Double(point.y) * Double(height))
    }

    private static func caption(_ object: RecognizedObject) -> String {
        let track = object.trackID.map { "#\($0) " } ?? ""
        return track + caption(object.identifier, object.confidence)
    }
}
