import Glibc
import Images

/// Where the pixels of a part lie in the picture.
package struct RegionCut: Sendable {
    /// The size of the part.
    package let size: ImageSize
    /// The place in the picture of a pixel of the part.
    package let places: PerspectiveTransform
    /// Whether the part is turned by 90° counterclockwise, after it was cut out.
    package var isTurned = false

    private static let maximumEdge = Double(Image.maximumEdge)

    package init(size: ImageSize, places: PerspectiveTransform) { (self.size, self.places) = (size, places) }

    /// The rectangle with the lengths of the longer of opposite edges, rounded down.
    ///
    /// Source: `get_rotate_crop_image` of https://github.com/RapidAI/RapidOCR
    package init?(corners: Quadrilateral) {
        let width = max(
            corners.topLeft.distance(to: corners.topRight), corners.bottomRight.distance(to: corners.bottomLeft))
        let height = max(
            corners.topLeft.distance(to: corners.bottomLeft), corners.topRight.distance(to: corners.bottomRight))
        guard let size = Self.size(width.rounded(.down), height.rounded(.down)),
            let places = PerspectiveTransform(from: Quadrilateral(wholeOf: size).corners, to: corners.corners)
        else { return nil }
        self.init(size: size, places: places)
        isTurned = Double(size.height) / Double(size.width) >= 1.5
    }

    /// A rectangle around a center, turned by an angle in radians, clockwise.
    ///
    /// - Parameters:
    ///   - size: The size of the part; nil for the extents of the rectangle.
    ///   - isMirrored: Whether the left of the part is the right of the rectangle.
    package init?(
        extents: SIMD2<Double>, center: SIMD2<Double>, angle: Double = 0, size: ImageSize? = nil,
        isMirrored: Bool = false
    ) {
        let (sine, cosine) = (sin(angle), cos(angle))
        guard let own = Self.size(extents.x.rounded(.up), extents.y.rounded(.up)) else { return nil }
        let whole = size ?? own
        let corners = Quadrilateral(wholeOf: whole).corners.map { corner in
            let x = (corner.x / Double(whole.width) - 0.5) * (isMirrored ? -extents.x : extents.x)
            let y = (corner.y / Double(whole.height) - 0.5) * extents.y
            return PixelPoint(x: center.x + x * cosine - y * sine, y: center.y + x * sine + y * cosine)
        }
        guard let places = PerspectiveTransform(from: Quadrilateral(wholeOf: whole).corners, to: corners) else {
            return nil
        }
        self.init(size: whole, places: places)
    }

    private static func size(_ width: Double, _ height: Double) -> ImageSize? {
        guard (1...maximumEdge).contains(width), (1...maximumEdge).contains(height) else { return nil }
        return ImageSize(width: Int(width), height: Int(height))
    }

    /// The part of a picture.
    package func crop(of picture: Image, _ interpolation: Image.Interpolation) throws(ImageError) -> RegionCrop {
        let image = try picture.warped(to: size, by: places, interpolation: interpolation)
        let crop = RegionCrop(image: image, places: places)
        return isTurned ? crop.turned(by: 270) : crop
    }
}

/// A part of a picture.
package struct RegionCrop: Sendable {
    package let image: Image
    /// The place in the picture of each pixel.
    package let places: PerspectiveTransform

    /// The part turned clockwise.
    ///
    /// - Parameter degrees: 0, 90, 180 or 270.
    package func turned(by degrees: Int) -> RegionCrop {
        let (right, bottom) = (Double(image.width - 1), Double(image.height - 1))
        // Where the pixel (x, y) of the turned part lies in this one.
        let before: (PixelPoint) -> PixelPoint
        let orientation: ImageOrientation
        switch degrees {
        case 90: (orientation, before) = (.right, { PixelPoint(x: $0.y, y: bottom - $0.x) })
        case 180: (orientation, before) = (.down, { PixelPoint(x: right - $0.x, y: bottom - $0.y) })
        case 270: (orientation, before) = (.left, { PixelPoint(x: right - $0.y, y: $0.x) })
        default: return self
        }
        let turned = image.turned(orientation)
        let corners = Quadrilateral(wholeOf: turned.size).corners
        let moved = PerspectiveTransform(from: corners, to: corners.map { places.applied(to: before($0)) })
        return RegionCrop(image: turned, places: moved ?? places)
    }
}
