import Images
import Tensors

/// A picture that a network made of a picture.
///
///     let image = try await generator.predict(.file("small.png")).image()
public struct GeneratedImage: Sendable {
    /// The width and height.
    public let size: ImageSize
    /// The number of channels: 1 for gray, 3 for red, green and blue, 4 with the opacity behind them.
    public let channelCount: Int
    /// The bytes of rows, [rows, width, channels] each, from the top.
    package let bands: [Tensor]

    package init(size: ImageSize, channelCount: Int, bands: [Tensor]) {
        (self.size, self.channelCount, self.bands) = (size, channelCount, bands)
    }

    /// The bytes of all pixels, row after row from the top, the channels of a pixel side by side.
    public var pixels: [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.width * size.height * channelCount)
        for band in bands { pixels += band.elements(as: UInt8.self) }
        return pixels
    }

    /// The picture in red, green and blue. Gray is put into all three; opacity is left out.
    ///
    /// - Throws: ``ImageError``.
    public func image() throws(ImageError) -> Image {
        let pixels = pixels
        guard channelCount != 3 else { return try Image(width: size.width, height: size.height, pixels: pixels) }
        var colors = [UInt8](repeating: 0, count: size.width * size.height * 3)
        for place in 0..<size.width * size.height {
            for channel in 0..<3 {
                colors[place * 3 + channel] = pixels[place * channelCount + (channelCount == 1 ? 0 : channel)]
            }
        }
        return try Image(width: size.width, height: size.height, pixels: colors)
    }
}
