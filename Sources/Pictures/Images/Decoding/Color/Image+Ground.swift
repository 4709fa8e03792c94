extension Image {
    /// Puts colors with alpha on a white ground, for networks that read text.
    ///
    /// Where nothing but what is transparent has a color, or all is grey, the others stay as they are. Otherwise they
    /// are inverted.
    ///
    /// Source: `LoadImage` of https://github.com/RapidAI/RapidOCR, version 1.4.4
    ///
    /// - Parameter pixels: Red, green, blue and alpha of every pixel; used up.
    package init(onGround pixels: inout [UInt8], _ size: ImageSize, isGrey: Bool) throws(ImageError) {
        let count = size.width * size.height
        pixels.withUnsafeMutableBufferPointer { pixels in
            var isBlack = true
            for pixel in 0..<count where isBlack && pixels[pixel * 4 + 3] > 0 {
                isBlack = pixels[pixel * 4] == 0 && pixels[pixel * 4 + 1] == 0 && pixels[pixel * 4 + 2] == 0
            }
            for pixel in 0..<count {
                let alpha = pixels[pixel * 4 + 3]
                for channel in 0..<3 {
                    let color = alpha == 0 ? 0 : pixels[pixel * 4 + channel]
                    // Writing never overtakes reading.
                    pixels[pixel * 3 + channel] =
                        isGrey || isBlack ? UInt8(min(255, Int(color) + 255 - Int(alpha))) : 255 - color
                }
            }
        }
        pixels.removeLast(count)
        try self.init(width: size.width, height: size.height, pixels: pixels)
    }
}
