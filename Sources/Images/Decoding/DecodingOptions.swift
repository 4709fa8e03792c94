extension Image {
    /// How bytes become pixels.
    public struct DecodingOptions: Sendable, Equatable {
        /// The most pixels an image may declare; more is ``ImageError/tooLarge(_:maximumPixelCount:)``.
        ///
        /// It is compared with the size in the file's header, before memory for pixels is taken.
        public var maximumPixelCount: Int

        /// Whether the image is turned upright as its EXIF orientation says.
        public var appliesOrientation: Bool

        /// When set, a JPEG may be decoded smaller, by eighths, as long as neither extent falls below this.
        ///
        /// Faster for large photos, but the pixels differ from those of a full decode that is resized afterwards.
        /// The extents are those of the file, before the orientation is applied.
        public var reducedJPEGSize: ImageSize?

        /// Makes options.
        public init(
            maximumPixelCount: Int = Image.defaultMaximumPixelCount, appliesOrientation: Bool = true,
            reducedJPEGSize: ImageSize? = nil
        ) {
            self.maximumPixelCount = maximumPixelCount
            self.appliesOrientation = appliesOrientation
            self.reducedJPEGSize = reducedJPEGSize
        }

        /// The most bytes that decoding may take at once: the pixels, the turned pixels, and what a decoder keeps.
        private static let mostBytes = 768 << 20

        /// Checks what decoding takes, given the bytes for each pixel, before memory is taken.
        func check(_ size: ImageSize, bytesPerPixel: Int, turning orientation: Orientation) throws(ImageError) {
            let turned = appliesOrientation && orientation != .upright ? 3 : 0
            let (byteCount, overflow) = (size.pixelCount ?? .max)
                .multipliedReportingOverflow(by: bytesPerPixel + turned)
            guard !overflow, byteCount <= Self.mostBytes else {
                throw .tooMuchMemory(size, byteCount: overflow ? .max : byteCount, limit: Self.mostBytes)
            }
        }

        /// The pixel count that fits both this limit and an address space.
        func check(_ size: ImageSize) throws(ImageError) {
            guard max(size.width, size.height) <= Image.maximumEdge else {
                throw .invalidSize("the image has \(size) pixels; an edge may have \(Image.maximumEdge)")
            }
            guard let count = size.pixelCount, count <= maximumPixelCount else {
                throw .tooLarge(size, maximumPixelCount: maximumPixelCount)
            }
        }
    }
}
