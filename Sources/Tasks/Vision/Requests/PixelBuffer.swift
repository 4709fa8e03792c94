import Images

/// Raw pixels in memory, row after row from the top, as cameras and drawing libraries give them.
///
///     let buffer = PixelBuffer(bytes, width: 640, height: 480, format: .bgra, bytesPerRow: 2560)
public struct PixelBuffer: Sendable {
    /// The channels of a pixel in the order of memory, 8 bits each.
    public enum Format: Sendable, CaseIterable {
        /// Blue, green, red, and alpha, which is dropped.
        case bgra
        /// Red, green, blue.
        case rgb
        /// One channel, gray.
        case gray

        /// The number of bytes of a pixel.
        public var byteCount: Int {
            switch self {
            case .bgra: 4
            case .rgb: 3
            case .gray: 1
            }
        }
    }

    /// The bytes of all rows.
    public let bytes: [UInt8]
    /// The number of pixels of a row.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// The channels of a pixel.
    public let format: Format
    /// The number of bytes from the start of one row to the start of the next; those after a row's pixels are ignored.
    /// Nil for rows without gaps.
    public let bytesPerRow: Int?

    /// Makes a buffer.
    public init(_ bytes: [UInt8], width: Int, height: Int, format: Format, bytesPerRow: Int? = nil) {
        self.bytes = bytes
        self.width = width
        self.height = height
        self.format = format
        self.bytesPerRow = bytesPerRow
    }

    /// The pixels as a picture.
    ///
    /// - Throws: ``ImageError/invalidSize(_:)`` when an extent is below 1, rows overlap, or there are too few bytes.
    package func image() throws(ImageError) -> Image {
        let size = ImageSize(width: width, height: height)
        guard width > 0, height > 0, width <= Image.maximumEdge, height <= Image.maximumEdge else {
            throw .invalidSize("an image cannot have the size \(size)")
        }
        let rowByteCount = width * format.byteCount
        let stride = bytesPerRow ?? rowByteCount
        let (lastRow, overflow) = stride.multipliedReportingOverflow(by: height - 1)
        guard stride >= rowByteCount, !overflow, lastRow <= bytes.count - rowByteCount else {
            throw .invalidSize(
                "\(height) rows of \(width) pixels, \(stride) bytes apart, do not fit \(bytes.count) bytes")
        }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 3)
        for row in 0..<height {
            var start = row * stride
            for _ in 0..<width {
                switch format {
                case .bgra: pixels += [bytes[start + 2], bytes[start + 1], bytes[start]]
                case .rgb: pixels += bytes[start..<start + 3]
                case .gray: pixels += [bytes[start], bytes[start], bytes[start]]
                }
                start += format.byteCount
            }
        }
        return try Image(width: width, height: height, pixels: pixels)
    }
}
