/// The placement of a picture in the result of preprocessing, which maps points of the result back to the picture.
///
///     let placement = try preprocessing.placement(of: image.size)
///     let (x, y) = placement.original(x: 0.5, y: 0.5)       // the middle of the input, in the picture
///
/// Coordinates of both are normalized: 0 is the left or upper edge, 1 the right or lower edge.
public struct ImagePlacement: Sendable, Equatable {
    /// One axis: `original = place * scale + offset`.
    private struct Axis: Equatable {
        var scale = 1.0
        var offset = 0.0
    }

    private var x = Axis()
    private var y = Axis()

    /// The placement of a picture that fills the input.
    public init() {}

    init(x: Preprocessing.Axis, y: Preprocessing.Axis, extent: ImageSize) {
        self.x = Self.axis(x, extent: extent.width)
        self.y = Self.axis(y, extent: extent.height)
    }

    private static func axis(_ axis: Preprocessing.Axis, extent: Int) -> Axis {
        let resized = axis.mappedExtent ?? Double(axis.resized)
        let offset = Double(axis.visible.lowerBound - axis.origin) - axis.mappedShift
        return Axis(scale: Double(extent) / resized, offset: offset / resized)
    }

    /// The placement of the picture inside a square of which this is the placement.
    func inside(_ frame: Preprocessing.Frame) -> ImagePlacement {
        func axis(_ axis: Axis, _ square: Int, _ origin: Int, _ extent: Int) -> Axis {
            let factor = Double(square) / Double(extent)
            return Axis(
                scale: axis.scale * factor, offset: axis.offset * factor - Double(origin) / Double(extent))
        }
        var placement = self
        placement.x = axis(x, frame.square.width, frame.x, frame.size.width)
        placement.y = axis(y, frame.square.height, frame.y, frame.size.height)
        return placement
    }

    /// The point of the input that shows (x, y) of the picture; outside 0…1 where the input shows nothing of it.
    package func place(x: Double, y: Double) -> (x: Double, y: Double) {
        ((x - self.x.offset) / self.x.scale, (y - self.y.offset) / self.y.scale)
    }

    /// The point of the picture at (x, y) of the input; outside 0…1 where the input shows a border.
    public func original(x: Double, y: Double) -> (x: Double, y: Double) {
        (x * self.x.scale + self.x.offset, y * self.y.scale + self.y.offset)
    }
}

extension Preprocessing {
    /// The placement of a picture of `size` in the result.
    public func placement(of size: ImageSize) throws(PreprocessingError) -> ImagePlacement {
        try geometry(for: size).placement
    }
}

extension Preprocessing.Geometry {
    /// Where the picture lies in the result.
    package var placement: ImagePlacement {
        let placement = ImagePlacement(x: x, y: y, extent: outputSize)
        return frame.map(placement.inside) ?? placement
    }
}
