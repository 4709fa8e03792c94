import Images

extension Image {
    /// The picture with the corners of each line of text joined, the first edge in another color, and the line's number
    /// in reading order.
    ///
    ///     let drawn = try image.drawing(try await recognizer.predict(.image(image)))
    public func drawing(_ text: RecognizedText) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        let shortest = min(width, height)
        let (stroke, scale) = (max(1, shortest / 400), max(1, shortest / 500))
        for (position, line) in text.lines.enumerated() {
            let corners = line.box.corners
            for index in [1, 2, 3, 0] {
                let color = index == 0 ? Preprocessing.Color(red: 230, green: 25, blue: 75) : Self.lineColor
                canvas.draw(from: corners[index], to: corners[(index + 1) % 4], width: stroke, color)
            }
            let caption = String(position + 1)
            let extent = Canvas.extent(of: caption, scale: scale)
            let x = Int(min(max(corners[0].x, 0), Double(max(0, width - extent.width))))
            let y = Int(min(max(corners[0].y - Double(extent.height), 0), Double(max(0, height - extent.height))))
            canvas.write(caption, x: x, y: y, scale: scale, .white, on: Self.lineColor)
        }
        return try canvas.image()
    }

    private static let lineColor = Preprocessing.Color(red: 0, green: 110, blue: 220)
}
