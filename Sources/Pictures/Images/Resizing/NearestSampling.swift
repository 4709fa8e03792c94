extension Image {
    /// The part in `columns` and `rows` of the image at size `target`; each pixel is the source pixel under its center.
    func sampled(to target: ImageSize, columns: Range<Int>, rows: Range<Int>) -> Image {
        let sourceColumns = Self.positions(from: width, to: target.width, window: columns)
        let sourceRows = Self.positions(from: height, to: target.height, window: rows)
        return Image(ImageSize(width: columns.count, height: rows.count)) { result in
            result.update(repeating: 0)
            pixels.withUnsafeBufferPointer { source in
                var next = 0
                for row in sourceRows {
                    for column in sourceColumns {
                        if column < width, row < height {
                            let position = (row * width + column) * 3
                            result[next] = source[position]
                            result[next + 1] = source[position + 1]
                            result[next + 2] = source[position + 2]
                        }
                        next += 3
                    }
                }
            }
        }
    }

    /// Source positions, computed by repeated addition in double precision, so that ties are decided as in Pillow.
    /// Rounding may put the last position outside the image; such pixels stay black.
    private static func positions(from sourceCount: Int, to targetCount: Int, window: Range<Int>) -> [Int] {
        let step = Double(Float(sourceCount)) / Double(targetCount)
        var position = step * 0.5
        var positions: [Int] = []
        positions.reserveCapacity(window.count)
        for target in 0..<window.upperBound {
            if target >= window.lowerBound { positions.append(Int(position)) }
            position += step
        }
        return positions
    }
}
