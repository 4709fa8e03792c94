import Images

/// A region with four corners, in pixels of the upright picture from its upper left.
///
/// For a line of text, the first edge is its upper one as people read it.
public struct Quadrilateral: Sendable, Hashable {
    /// The upper left corner.
    public var topLeft: PixelPoint
    /// The upper right corner.
    public var topRight: PixelPoint
    /// The lower right corner.
    public var bottomRight: PixelPoint
    /// The lower left corner.
    public var bottomLeft: PixelPoint

    /// Makes a region.
    public init(topLeft: PixelPoint, topRight: PixelPoint, bottomRight: PixelPoint, bottomLeft: PixelPoint) {
        (self.topLeft, self.topRight) = (topLeft, topRight)
        (self.bottomRight, self.bottomLeft) = (bottomRight, bottomLeft)
    }

    /// Makes the whole of a picture.
    package init(wholeOf size: ImageSize) {
        let (width, height) = (Double(size.width), Double(size.height))
        self.init(
            topLeft: PixelPoint(x: 0, y: 0), topRight: PixelPoint(x: width, y: 0),
            bottomRight: PixelPoint(x: width, y: height), bottomLeft: PixelPoint(x: 0, y: height))
    }

    /// Makes a region of four corners, clockwise from the upper left; nil when there are not four.
    package init?(_ corners: [PixelPoint]) {
        guard corners.count == 4 else { return nil }
        self.init(topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
    }

    /// The corners, clockwise from the upper left.
    public var corners: [PixelPoint] { [topLeft, topRight, bottomRight, bottomLeft] }

    /// The rectangle around the corners: left, top, right, bottom.
    package var edges: (left: Double, top: Double, right: Double, bottom: Double) {
        let (x, y) = (corners.map(\.x), corners.map(\.y))
        return (x.min() ?? 0, y.min() ?? 0, x.max() ?? 0, y.max() ?? 0)
    }

    /// The region with each corner moved.
    package func map(_ move: (PixelPoint) -> PixelPoint) -> Quadrilateral {
        Quadrilateral(
            topLeft: move(topLeft), topRight: move(topRight), bottomRight: move(bottomRight),
            bottomLeft: move(bottomLeft))
    }

    /// The box around the region, in fractions of a picture of `size`.
    public func box(in size: ImageSize) -> NormalizedBox {
        let (width, height) = (Double(max(1, size.width)), Double(max(1, size.height)))
        let edges = edges
        return NormalizedBox(
            x: Float(edges.left / width), y: Float(edges.top / height),
            width: Float((edges.right - edges.left) / width), height: Float((edges.bottom - edges.top) / height))
    }
}
