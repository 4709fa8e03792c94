import Images

/// A rectangle in an upright picture, in fractions of its width and height.
///
/// The origin is the **upper left** corner of the picture as people see it (EXIF orientation applied), x grows to the
/// right and y downwards; (0, 0) to (1, 1) is the whole picture. The origin of Vision's boxes is the lower left corner;
/// ``fromLowerLeft`` gives such a box.
public struct NormalizedBox: Sendable, Hashable, Codable {
    /// The left edge.
    public var x: Float
    /// The upper edge.
    public var y: Float
    /// The width, as a fraction of the picture's.
    public var width: Float
    /// The height, as a fraction of the picture's.
    public var height: Float

    /// Makes a box.
    public init(x: Float, y: Float, width: Float, height: Float) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Makes the box around points.
    package init(around points: [SIMD2<Float>]) {
        let (left, top) = (points.map(\.x).min() ?? 0, points.map(\.y).min() ?? 0)
        self.init(
            x: left, y: top, width: (points.map(\.x).max() ?? 0) - left, height: (points.map(\.y).max() ?? 0) - top)
    }

    /// The right edge.
    public var maxX: Float { x + width }
    /// The lower edge.
    public var maxY: Float { y + height }
    /// The area, as a fraction of the picture's.
    public var area: Float { max(0, width) * max(0, height) }

    /// The box with y counted upwards from the lower edge of the picture, as Vision does.
    public var fromLowerLeft: NormalizedBox { NormalizedBox(x: x, y: 1 - y - height, width: width, height: height) }

    /// The box in pixels of a picture of `size`, from the upper left.
    public func pixels(in size: ImageSize) -> (x: Float, y: Float, width: Float, height: Float) {
        let (columns, rows) = (Float(size.width), Float(size.height))
        return (x * columns, y * rows, width * columns, height * rows)
    }

    /// The area that both boxes cover ÷ the area that either covers; 0 when both areas are 0.
    public func intersectionOverUnion(with other: NormalizedBox) -> Float {
        let width = min(maxX, other.maxX) - max(x, other.x)
        let height = min(maxY, other.maxY) - max(y, other.y)
        guard width > 0, height > 0 else { return 0 }
        let shared = width * height
        let union = area + other.area - shared
        return union > 0 ? shared / union : 0
    }

    /// The part of the box inside the picture; nil when there is none.
    package var clipped: NormalizedBox? {
        let (left, upper) = (max(0, x), max(0, y))
        let (right, lower) = (min(1, maxX), min(1, maxY))
        guard right > left, lower > upper else { return nil }
        return NormalizedBox(x: left, y: upper, width: right - left, height: lower - upper)
    }
}
