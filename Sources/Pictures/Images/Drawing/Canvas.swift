/// A picture to draw on.
package struct Canvas {
    /// The width and height.
    package let size: ImageSize
    private var pixels: [UInt8]

    /// Makes a canvas that shows a picture.
    package init(_ image: Image) {
        size = image.size
        pixels = image.pixels
    }

    /// The picture as drawn so far.
    package func image() throws(ImageError) -> Image {
        try Image(width: size.width, height: size.height, pixels: pixels)
    }

    /// Fills the part of a rectangle that lies in the picture.
    package mutating func fill(columns: Range<Int>, rows: Range<Int>, _ color: Preprocessing.Color) {
        let columns = columns.clamped(to: 0..<size.width)
        for row in rows.clamped(to: 0..<size.height) {
            for column in columns {
                let start = (row * size.width + column) * 3
                pixels[start] = color.red
                pixels[start + 1] = color.green
                pixels[start + 2] = color.blue
            }
        }
    }

    /// Draws the edges of a rectangle, inside the rectangle.
    package mutating func stroke(columns: Range<Int>, rows: Range<Int>, width: Int, _ color: Preprocessing.Color) {
        let across = min(width, columns.count)
        let down = min(width, rows.count)
        fill(columns: columns, rows: rows.lowerBound..<rows.lowerBound + down, color)
        fill(columns: columns, rows: rows.upperBound - down..<rows.upperBound, color)
        fill(columns: columns.lowerBound..<columns.lowerBound + across, rows: rows, color)
        fill(columns: columns.upperBound - across..<columns.upperBound, rows: rows, color)
    }

    /// Draws a line of squares between two points.
    package mutating func line(
        from start: (x: Int, y: Int), to end: (x: Int, y: Int), width: Int, _ color: Preprocessing.Color
    ) {
        let count = max(abs(end.x - start.x), abs(end.y - start.y), 1)
        for step in 0...count {
            let x = start.x + (end.x - start.x) * step / count - width / 2
            let y = start.y + (end.y - start.y) * step / count - width / 2
            fill(columns: x..<x + width, rows: y..<y + width, color)
        }
    }

    /// The width and height of a line of text with dots of `scale` pixels.
    package static func extent(of text: String, scale: Int) -> ImageSize {
        ImageSize(width: text.count * (BitmapFont.width + 1) * scale, height: (BitmapFont.height + 2) * scale)
    }

    /// Writes a line of text in a filled box with the upper left corner (x, y); see ``extent(of:scale:)``.
    package mutating func write(
        _ text: String, x: Int, y: Int, scale: Int, _ color: Preprocessing.Color, on background: Preprocessing.Color
    ) {
        let extent = Self.extent(of: text, scale: scale)
        fill(columns: x..<x + extent.width, rows: y..<y + extent.height, background)
        for (position, character) in text.enumerated() {
            let left = x + (position * (BitmapFont.width + 1)) * scale + scale / 2
            for (row, bits) in BitmapFont.rows(of: character).enumerated() {
                for column in 0..<BitmapFont.width where bits >> (BitmapFont.width - 1 - column) & 1 == 1 {
                    let (dotX, dotY) = (left + column * scale, y + (row + 1) * scale)
                    fill(columns: dotX..<dotX + scale, rows: dotY..<dotY + scale, color)
                }
            }
        }
    }
}
