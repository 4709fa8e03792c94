import Images

/// The part of a picture around something found in it, as the next stage of a recipe sees it.
public struct Region: Sendable, Hashable {
    /// How the part is cut out.
    public enum Shape: Sendable, Hashable {
        /// The box around what was found.
        case box
        /// The four corners of what was found, brought into a rectangle. A part that is at least 1.5 times as high as
        /// wide is turned by 90° counterclockwise, since text in it runs downwards.
        case corners
        /// The points found with it, brought as near as turning, scaling and shifting can to the points of a template,
        /// in pixels of a picture of the size.
        case template([PixelPoint], ImageSize)
    }

    /// How the part is cut out.
    public var shape: Shape
    /// What is added at each side of a box, as a share of its width and height.
    public var margin: Double
    /// Whether a box becomes a square with the length of its longer side, around the same center.
    public var isSquare: Bool
    /// Two points found with it, by position, that lie side by side in the upright part, the left one first; nil to
    /// leave the box as it is. It is how a face is turned upright by its eyes.
    public var baseline: [Int]?

    /// Makes a region.
    public init(_ shape: Shape, margin: Double = 0, isSquare: Bool = false, baseline: [Int]? = nil) {
        (self.shape, self.margin, self.isSquare, self.baseline) = (shape, margin, isSquare, baseline)
    }

    /// What a region is cut out around.
    package struct Subject: Sendable {
        /// The corners in pixels, clockwise from the upper left.
        let corners: Quadrilateral
        /// The points found with it, in pixels.
        let points: [PixelPoint]

        package init(corners: Quadrilateral, points: [PixelPoint] = []) {
            (self.corners, self.points) = (corners, points)
        }
    }

    /// The size of the part, and the place in the picture of each of its pixels; nil when it has no area.
    package func cut(around subject: Subject, in picture: ImageSize) -> RegionCut? {
        switch shape {
        case .corners: return RegionCut(corners: subject.corners)
        case .template(let template, let size):
            guard template.count <= subject.points.count,
                let places = PerspectiveTransform(turning: template, onto: Array(subject.points.prefix(template.count)))
            else { return nil }
            return RegionCut(size: size, places: places)
        case .box:
            guard !isSquare, baseline == nil else { return turnedBox(around: subject) }
            let edges = grown(subject)
            let left = max(0, edges.left.rounded(.down)), top = max(0, edges.top.rounded(.down))
            let right = min(Double(picture.width), edges.right.rounded(.up))
            let bottom = min(Double(picture.height), edges.bottom.rounded(.up))
            guard right > left, bottom > top else { return nil }
            return RegionCut(size: (right - left, bottom - top), center: ((left + right) / 2, (top + bottom) / 2))
        }
    }

    private func grown(_ subject: Subject) -> (left: Double, top: Double, right: Double, bottom: Double) {
        let edges = subject.corners.edges
        let (x, y) = ((edges.right - edges.left) * margin, (edges.bottom - edges.top) * margin)
        return (edges.left - x, edges.top - y, edges.right + x, edges.bottom + y)
    }

    private func turnedBox(around subject: Subject) -> RegionCut? {
        let edges = grown(subject)
        var size = (edges.right - edges.left, edges.bottom - edges.top)
        if isSquare { size = (max(size.0, size.1), max(size.0, size.1)) }
        var angle = 0.0
        if let baseline {
            guard baseline.count == 2, baseline.allSatisfy(subject.points.indices.contains) else { return nil }
            let (left, right) = (subject.points[baseline[0]], subject.points[baseline[1]])
            angle = RegionCut.angle(from: left, to: right)
        }
        return RegionCut(
            size: size, center: ((edges.left + edges.right) / 2, (edges.top + edges.bottom) / 2), angle: angle)
    }
}

extension Region: CustomStringConvertible {
    /// The region in a few words. Regions that are cut differently have different descriptions.
    public var description: String {
        var parts: [String] = []
        switch shape {
        case .box: parts.append("box")
        case .corners: parts.append("corners")
        case .template(let points, let size):
            parts.append("\(size) by \(points.map { "\($0.x),\($0.y)" }.joined(separator: " "))")
        }
        if margin != 0 { parts.append("margin \(margin)") }
        if isSquare { parts.append("square") }
        if let baseline { parts.append("upright by \(baseline.map(String.init).joined(separator: ","))") }
        return parts.joined(separator: ", ")
    }
}
