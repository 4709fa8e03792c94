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

        /// The pixel count that fits both this limit and an address space.
        func check(_ size: ImageSize) throws(ImageError) {
            guard let count = size.pixelCount, count <= maximumPixelCount else {
                throw .tooLarge(size, maximumPixelCount: maximumPixelCount)
            }
        }
    }
}
