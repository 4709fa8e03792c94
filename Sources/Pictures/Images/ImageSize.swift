/// A width and a height, in pixels.
public struct ImageSize: Sendable, Hashable {
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels; nil when an extent is below 1 or the bytes of an RGB image cannot be counted in 63 bits.
    package var pixelCount: Int? {
        guard width > 0, height > 0 else { return nil }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow || count > Int.max / 64 ? nil : count
    }
}

extension ImageSize: CustomStringConvertible {
    public var description: String { "\(width)x\(height)" }
}
