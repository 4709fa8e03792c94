import Glibc
import Images
import Tensors

/// The part of a picture around something found in it, as the next stage of a recipe sees it.
public struct Region: Sendable, Hashable {
    /// How the part is cut out.
    public enum Shape: Sendable, Hashable {
        /// The box around what was found.
        case box
        /// The square around a circle. Its center and a point on it are points found with the object, by position.
        case circle(center: Int, rim: Int)
        /// The four corners of what was found, brought into a rectangle. A part that is at least 1.5 times as high as
        /// wide is turned by 90° counterclockwise, since text in it runs downwards.
        case corners
        /// The points found with it, brought as near as turning, scaling and shifting can to the points of a template,
        /// in pixels of a picture of the size.
        case template([PixelPoint], ImageSize)
        /// The box around some of the points found with it, by position.
        case points([Int])
        /// The whole picture, at which a stage looks once.
        case picture
    }

    /// How the part is cut out.
    public var shape: Shape
    /// What is added at each side of a box or a square, as a share of its width and height.
    public var margin: Double
    /// Whether a box becomes a square with the length of its longer side, around the same center.
    public var isSquare: Bool
    /// Two points found with it, by position, that lie side by side in the upright part, the left one first; nil to
    /// leave the box as it is. It is how a face is turned upright by its eyes.
    public var baseline: [Int]?
    /// Two points found with it, by position, that lie one above the other in the upright part, the lower one first;
    /// nil to leave the box as it is. It is how a hand is turned upright by its wrist and a finger.
    public var verticalLine: [Int]?
    /// By how much a box or a square moves to the right and down in the upright part, as shares of its width and height
    /// before anything is added to them.
    public var shift: SIMD2<Double>
    /// The size of the part in pixels; nil for the size that it has in the picture. A network's own size saves its
    /// picture from being resized twice.
    public var size: ImageSize?
    /// Whether the part is seen in a mirror, as a right eye by a network for left ones. Points that are found in it
    /// have their places in the picture.
    public var isMirrored = false
    /// How the pixels of the part are interpolated.
    public var interpolation = Image.Interpolation.cubic

    /// Makes a region.
    public init(
        _ shape: Shape, margin: Double = 0, isSquare: Bool = false, baseline: [Int]? = nil,
        verticalLine: [Int]? = nil, shift: SIMD2<Double> = .zero, size: ImageSize? = nil
    ) {
        (self.shape, self.margin, self.isSquare, self.baseline) = (shape, margin, isSquare, baseline)
        (self.verticalLine, self.shift, self.size) = (verticalLine, shift, size)
    }

    /// What a region is cut out around.
    package struct Subject: Sendable {
        /// The corners in pixels, clockwise from the upper left.
        let corners: Quadrilateral
        /// The points found with it, in pixels.
        let points: [PixelPoint]
        /// The corners, also those beyond the picture's edges.
        let wholeCorners: Quadrilateral

        /// - Parameter whole: The corners before they are cut at the picture's edges; nil where nothing is cut.
        package init(corners: Quadrilateral, points: [PixelPoint] = [], whole: Quadrilateral? = nil) {
            (self.corners, self.points, wholeCorners) = (corners, points, whole ?? corners)
        }
    }

    /// The size of the part, and the place in the picture of each of its pixels; nil when it has no area.
    package func cut(around subject: Subject, in picture: ImageSize) -> RegionCut? {
        switch shape {
        case .picture:
            let size = SIMD2(Double(picture.width), Double(picture.height))
            return RegionCut(extents: size, center: size / 2)
        case .corners: return RegionCut(corners: subject.corners)
        case .template(let template, let size):
            guard template.count <= subject.points.count,
                let places = PerspectiveTransform(turning: template, onto: Array(subject.points.prefix(template.count)))
            else { return nil }
            return RegionCut(size: size, places: places)
        case .box:
            // A part that is turned or grown may show what lies beyond the picture.
            let edges = (isPlainBox ? subject.corners : subject.wholeCorners).edges
            let extents = SIMD2(edges.right - edges.left, edges.bottom - edges.top)
            let center = SIMD2(edges.left + edges.right, edges.top + edges.bottom) / 2
            guard isPlainBox else { return turned(extents, center, subject) }
            // The part lies in the picture and on whole pixels.
            let half = extents * (0.5 + margin)
            let start = pointwiseMax((center - half).rounded(.down), .zero)
            let whole = SIMD2(Double(picture.width), Double(picture.height))
            let end = pointwiseMin((center + half).rounded(.up), whole)
            guard end.x > start.x, end.y > start.y else { return nil }
            return RegionCut(extents: end - start, center: (start + end) / 2)
        case .points(let positions):
            let places = positions.compactMap { subject.points.indices.contains($0) ? subject.points[$0] : nil }
            let (x, y) = (places.map(\.x), places.map(\.y))
            guard places.count == positions.count, let left = x.min(), let right = x.max(), let top = y.min(),
                let bottom = y.max()
            else { return nil }
            return turned(SIMD2(right - left, bottom - top), SIMD2(left + right, top + bottom) / 2, subject)
        case .circle(let center, let rim):
            guard let line = points(center, rim, of: subject) else { return nil }
            let offset = line.end - line.start
            let radius = (offset * offset).sum().squareRoot()
            return turned(SIMD2(repeating: 2 * radius), line.start, subject)
        }
    }

    /// Whether a box is cut out as it lies in the picture.
    private var isPlainBox: Bool {
        !isSquare && !isMirrored && baseline == nil && verticalLine == nil && shift == .zero && size == nil
    }

    /// Two points found with the subject; nil where it has no such points.
    private func points(_ first: Int, _ second: Int, of subject: Subject) -> (start: SIMD2<Double>, end: SIMD2<Double>)?
    {
        let points = subject.points
        guard points.indices.contains(first), points.indices.contains(second) else { return nil }
        return (SIMD2(points[first].x, points[first].y), SIMD2(points[second].x, points[second].y))
    }

    /// The angle in radians by which the part is turned clockwise in the picture; nil where points are missing.
    private func angle(of subject: Subject) -> Double? {
        guard let pair = baseline ?? verticalLine else { return 0 }
        guard pair.count == 2, let line = points(pair[0], pair[1], of: subject) else { return nil }
        let offset = line.end - line.start
        return baseline != nil ? atan2(offset.y, offset.x) : atan2(offset.x, -offset.y)
    }

    /// A rectangle that is shifted, made a square, grown and turned.
    private func turned(_ extents: SIMD2<Double>, _ center: SIMD2<Double>, _ subject: Subject) -> RegionCut? {
        guard let angle = angle(of: subject) else { return nil }
        let offset = shift * extents
        let (sine, cosine) = (sin(angle), cos(angle))
        let moved = center + SIMD2(offset.x * cosine - offset.y * sine, offset.x * sine + offset.y * cosine)
        let grown = (isSquare ? SIMD2(repeating: extents.max()) : extents) * (1 + 2 * margin)
        return RegionCut(extents: grown, center: moved, angle: angle, size: size, isMirrored: isMirrored)
    }
}

extension Region: CustomStringConvertible {
    /// The region in a few words. Regions that are cut differently have different descriptions.
    public var description: String {
        var parts: [String] = []
        switch shape {
        case .box: parts.append("box")
        case .circle(let center, let rim): parts.append("circle around \(center) through \(rim)")
        case .corners: parts.append("corners")
        case .picture: parts.append("picture")
        case .points(let positions): parts.append("around \(positions.map(String.init).joined(separator: ","))")
        case .template(let points, let size):
            parts.append("\(size) by \(points.map { "\($0.x),\($0.y)" }.joined(separator: " "))")
        }
        if margin != 0 { parts.append("margin \(margin)") }
        if isSquare { parts.append("square") }
        if let baseline { parts.append("upright by \(baseline.map(String.init).joined(separator: ","))") }
        if let verticalLine { parts.append("vertical by \(verticalLine.map(String.init).joined(separator: ","))") }
        if shift != .zero { parts.append("shifted by \(shift.x),\(shift.y)") }
        if let size { parts.append("\(size)") }
        if isMirrored { parts.append("mirrored") }
        if interpolation != .cubic { parts.append(interpolation.rawValue) }
        return parts.joined(separator: ", ")
    }
}
