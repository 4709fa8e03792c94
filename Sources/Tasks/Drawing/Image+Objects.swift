import Images
import Platform

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

    /// The name of a class, cut where it is long, and a confidence in percent.
    static func caption(_ name: String, _ confidence: Float) -> String {
        let percentage = "\(Int((min(1, max(0, confidence)) * 100).rounded()))%"
        return name.printable.prefix(32) + " " + percentage
    }

    static let colors: [Preprocessing.Color] = [
        .init(red: 230, green: 25, blue: 75), .init(red: 60, green: 180, blue: 75),
        .init(red: 0, green: 110, blue: 220), .init(red: 255, green: 200, blue: 25),
        .init(red: 145, green: 30, blue: 180), .init(red: 70, green: 220, blue: 230),
        .init(red: 245, green: 130, blue: 48), .init(red: 240, green: 50, blue: 230),
        .init(red: 170, green: 110, blue: 40), .init(red: 0, green: 128, blue: 128),
    ]
}

extension Preprocessing.Color {
    static let white = Preprocessing.Color(red: 255, green: 255, blue: 255)

    /// Black or white, which is easier to read on this color, by the luma of ITU-R BT.601.
    var ofText: Preprocessing.Color {
        Int(red) * 299 + Int(green) * 587 + Int(blue) * 114 > 140_000 ? .black : .white
    }
}
