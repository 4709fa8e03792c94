extension Preprocessing {
    /// A border that makes pictures square: as many rows or columns as the shorter side lacks.
    public struct SquareBorder: Sendable, Hashable {
        /// The color.
        public var color: Color
        /// Whether the picture lies in the middle, with the odd row or column behind it, or at the upper left.
        public var isCentered: Bool

        /// Makes a border.
        public init(_ color: Color = .black, isCentered: Bool) {
            (self.color, self.isCentered) = (color, isCentered)
        }

        /// The square around a picture of `size`.
        func frame(of size: ImageSize) -> Frame {
            let side = max(size.width, size.height)
            let (x, y) = isCentered ? ((side - size.width) / 2, (side - size.height) / 2) : (0, 0)
            return Frame(x: x, y: y, size: size, square: ImageSize(width: side, height: side))
        }

        /// The picture with the border.
        func image(of picture: Image, in frame: Frame) -> Image {
            guard picture.size != frame.square else { return picture }
            let side = frame.square.width
            return Image(frame.square) { result in
                for pixel in 0..<side * side {
                    result[pixel * 3] = color.red
                    result[pixel * 3 + 1] = color.green
                    result[pixel * 3 + 2] = color.blue
                }
                picture.pixels.withUnsafeBufferPointer { pixels in
                    let count = picture.width * 3
                    for row in 0..<picture.height {
                        let start = ((frame.y + row) * side + frame.x) * 3
                        _ = UnsafeMutableBufferPointer(rebasing: result[start..<start + count])
                            .update(fromContentsOf: pixels[row * count..<(row + 1) * count])
                    }
                }
            }
        }
    }

    /// A picture of `size` at a place of a square. The place is negative where the square lies in the picture.
    struct Frame: Sendable {
        let x: Int
        let y: Int
        let size: ImageSize
        let square: ImageSize

        /// The square in the middle of a picture.
        static func middle(of size: ImageSize) -> Frame {
            let side = min(size.width, size.height)
            return Frame(
                x: -((size.width - side) / 2), y: -((size.height - side) / 2), size: size,
                square: ImageSize(width: side, height: side))
        }

        /// The part of a picture that lies in the square.
        func part(of picture: Image) -> Image {
            let (left, top) = (max(0, -x), max(0, -y))
            return picture.cropped(
                columns: left..<min(left + square.width, size.width),
                rows: top..<min(top + square.height, size.height))
        }
    }
}
