/// A point in a picture, in pixels from its upper left corner: x to the right, y downwards.
public struct PixelPoint: Sendable, Hashable, Codable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the upper edge.
    public var y: Double

    /// Makes a point.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    /// The distance of two points.
    package func distance(to other: PixelPoint) -> Double {
        let (width, height) = (other.x - x, other.y - y)
        return (width * width + height * height).squareRoot()
    }
}
