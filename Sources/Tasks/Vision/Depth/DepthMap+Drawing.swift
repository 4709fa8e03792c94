import Images
import Tensors

extension Preprocessing.Color {
    /// Ten colors from dark to light, between which the colors of depth lie.
    ///
    /// Source: viridis of https://bids.github.io/colormap, at ninths of its length.
    private static let scale: [(Float, Float, Float)] = [
        (68, 1, 84), (72, 40, 120), (62, 74, 137), (49, 104, 142), (38, 130, 142), (31, 158, 137), (53, 183, 121),
        (109, 205, 89), (180, 222, 44), (253, 231, 37),
    ]

    /// 256 colors for levels of depth.
    fileprivate static let ofDepth: [Preprocessing.Color] = (0..<256).map { level in
        let position = Float(level) / 255 * 9
        let lower = min(Int(position), 8)
        let share = position - Float(lower)
        func mixed(_ part: (((Float, Float, Float)) -> Float)) -> UInt8 {
            UInt8(clamping: Int((part(scale[lower]) * (1 - share) + part(scale[lower + 1]) * share).rounded()))
        }
        return Preprocessing.Color(red: mixed { $0.0 }, green: mixed { $0.1 }, blue: mixed { $0.2 })
    }
}

extension DepthMap {
    /// The map as a picture in colors, from dark violet for the lower end of ``range`` to yellow for the upper. Pixels
    /// that the network did not see are black.
    ///
    ///     let drawn = try depth.drawing()
    public func drawing() throws(ImageError) -> Image {
        var pixels = [UInt8](repeating: 0, count: imageSize.width * imageSize.height * 3)
        for (place, number) in values.elements(as: Float.self).enumerated() where !number.isNaN {
            let color = Preprocessing.Color.ofDepth[level(number, most: 255)]
            pixels[place * 3] = color.red
            pixels[place * 3 + 1] = color.green
            pixels[place * 3 + 2] = color.blue
        }
        return try Image(width: imageSize.width, height: imageSize.height, pixels: pixels)
    }
}
