/// The orientation of stored pixels, with the raw values of EXIF and the names of Core Graphics.
public enum ImageOrientation: Int, Sendable, CaseIterable {
    /// Upright.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Turned by 180°.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Mirrored so that rows and columns are exchanged.
    case leftMirrored
    /// Upright after a turn by 90° clockwise.
    case right
    /// Rows and columns exchanged, then turned by 180°.
    case rightMirrored
    /// Upright after a turn by 90° counterclockwise.
    case left
}

extension Image {
    /// The image turned upright, given the orientation of its pixels.
    public func turned(_ orientation: ImageOrientation) -> Image {
        Orientation(rawValue: orientation.rawValue).map { oriented($0) } ?? self
    }
}
