/// How stored rows and columns lie in the upright picture; raw values are those of EXIF, names those of Core Graphics.
public enum ImageOrientation: Int, Sendable, CaseIterable {
    /// As they are.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Turned by half.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Rows are columns.
    case leftMirrored
    /// To be turned right by a quarter.
    case right
    /// Rows are columns, turned by half.
    case rightMirrored
    /// To be turned left by a quarter.
    case left
}

extension Image {
    /// The image turned upright.
    public func turned(_ orientation: ImageOrientation) -> Image {
        Orientation(rawValue: orientation.rawValue).map { oriented($0) } ?? self
    }
}
