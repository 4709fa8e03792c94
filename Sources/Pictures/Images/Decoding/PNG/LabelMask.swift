import FoundationEssentials

/// The numbers of the pixels of a PNG file that is a mask of classes.
package struct LabelMask: Sendable, Equatable {
    package let size: ImageSize
    /// The numbers, row by row.
    package let numbers: [UInt16]

    package init(size: ImageSize, numbers: [UInt16]) { (self.size, self.numbers) = (size, numbers) }

    /// Decodes a PNG file of grey or of a palette, with up to 16 bits.
    ///
    /// - Throws: ``ImageError``, also for files of colors and of more than ``Image/defaultMaximumPixelCount`` pixels.
    package init(pngData data: Data) throws(ImageError) {
        let result: Result<LabelMask, ImageError> = data.withUnsafeBytes { buffer in
            Result { () throws(ImageError) in
                guard buffer.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { throw .corrupt("it is not a PNG file") }
                let decoder = try PNGDecoder(Bytes(buffer), frame: 0)
                let (count, overflow) = decoder.size.width.multipliedReportingOverflow(by: decoder.size.height)
                guard !overflow, count <= Image.defaultMaximumPixelCount else {
                    throw .corrupt("it has more than \(Image.defaultMaximumPixelCount) pixels")
                }
                return LabelMask(size: decoder.size, numbers: try decoder.numbers())
            }
        }
        self = try result.get()
    }
}
