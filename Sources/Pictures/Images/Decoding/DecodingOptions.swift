extension Image {
    /// Options for decoding a picture.
    public struct DecodingOptions: Sendable, Equatable {
        /// The maximum number of pixels; a picture with more throws ``ImageError/tooLarge(_:maximumPixelCount:)``.
        ///
        /// The size in the file's header is checked before memory for pixels is allocated.
        public var maximumPixelCount: Int

        /// Whether the picture is turned upright according to its EXIF orientation.
        public var appliesOrientation: Bool

        /// When set, a JPEG may be decoded at a smaller size, in steps of eighths, with neither extent below this size.
        ///
        /// This is faster for large photos, but the pixels differ from those of a full decode that is resized
        /// afterwards. The extents are those of the file, before the orientation is applied.
        public var reducedJPEGSize: ImageSize?

        /// The frame of an animation or the page of a document that is decoded, from 0.
        public var frame = 0

        /// Whether a damaged JPEG is decoded when no data of its pixels are missing. ``Image/warning`` then says what
        /// is wrong with it.
        public var acceptsDamage = true

        /// What is done with a color profile of the file.
        public var colorProfile = ColorProfileUse.ignore

        /// Whether PNG, WebP and GIF files with transparency are put on a ground, for networks that read text.
        package var putsOnGround = false

        /// Makes options.
        public init(
            maximumPixelCount: Int = Image.defaultMaximumPixelCount, appliesOrientation: Bool = true,
            reducedJPEGSize: ImageSize? = nil
        ) {
            self.maximumPixelCount = maximumPixelCount
            self.appliesOrientation = appliesOrientation
            self.reducedJPEGSize = reducedJPEGSize
        }

        /// The options for another frame or page.
        package func decoding(frame: Int) -> Self {
            var options = self
            options.frame = frame
            return options
        }

        /// The maximum bytes that decoding may take at once: the pixels, the turned pixels, and the decoder's own
        /// memory.
        private static let maximumByteCount = 768 << 20

        /// Checks the bytes that decoding takes, before they are allocated.
        func checkMemory(_ size: ImageSize, _ picture: any PictureDecoder) throws(ImageError) {
            let turned = appliesOrientation && picture.orientation != .upright ? 3 : 0
            let alpha = putsOnGround ? picture.groundBytesPerPixel : 0
            let (pixels, overflow) = (size.pixelCount ?? .max)
                .multipliedReportingOverflow(by: picture.decodingBytesPerPixel + turned + alpha)
            let (byteCount, isHuge) = pixels.addingReportingOverflow(picture.decodingByteCount)
            guard !overflow, !isHuge, byteCount <= Self.maximumByteCount else {
                throw .tooMuchMemory(
                    size, byteCount: overflow || isHuge ? .max : byteCount, limit: Self.maximumByteCount)
            }
        }

        /// Checks that a file has a frame.
        func check(_ frame: Int, of picture: any PictureDecoder) throws(ImageError) {
            guard frame < max(1, picture.frameCount) else {
                throw .truncated("it has \(picture.frameCount) pages or frames, not \(frame + 1)")
            }
        }

        /// Checks the size against the limits of edges and pixels.
        func check(_ size: ImageSize) throws(ImageError) {
            guard max(size.width, size.height) <= Image.maximumEdge else {
                throw .invalidSize("the picture has \(size) pixels; an edge may have \(Image.maximumEdge)")
            }
            guard let count = size.pixelCount, count <= maximumPixelCount else {
                throw .tooLarge(size, maximumPixelCount: maximumPixelCount)
            }
        }
    }
}
