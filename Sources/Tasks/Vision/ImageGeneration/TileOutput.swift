import Images
import Platform
import Tensors

/// The output of a network for one tile, as bytes.
struct TileOutput {
    let size: ImageSize
    let channelCount: Int
    /// The bytes, row after row, the channels of a pixel side by side in the order red, green, blue, opacity.
    let bytes: [UInt8]

    /// - Parameters:
    ///   - numbers: [1, C, H, W], [1, H, W, C], or one of them without the batch or without channels.
    ///   - isReversed: Whether the channels are in the order blue, green, red.
    /// - Throws: ``ApusError/usage(_:)`` for other shapes.
    init(
        _ numbers: Tensor, _ given: Preprocessing.Layout, _ range: PixelRange, _ steps: Preprocessing,
        isReversed: Bool, _ model: String
    ) throws {
        var (shape, layout) = (numbers.shape, given)
        if shape.count == 4, shape[0] == 1 { shape.removeFirst() }
        if shape.count == 3, shape[0] == 1, shape[2] != 1, layout == .channelsLast { shape.removeFirst() }
        layout = Preprocessing.Layout.ofPicture(shape, layout)
        if shape.count == 2 { shape = layout == .channelsFirst ? [1] + shape : shape + [1] }
        let channels = shape.count == 3 ? (layout == .channelsFirst ? shape[0] : shape[2]) : 0
        guard [1, 3, 4].contains(channels), shape.allSatisfy({ $0 > 0 }) else {
            throw ApusError.usage("\(model): the output is no picture of 1, 3 or 4 channels, but \(numbers.shape)")
        }
        let (height, width) = layout == .channelsFirst ? (shape[1], shape[2]) : (shape[0], shape[1])
        size = ImageSize(width: width, height: height)
        channelCount = channels
        let isReversed = isReversed && channels > 1
        var bytes = [UInt8](repeating: 0, count: width * height * channels)
        let values = try numbers.finiteElements()
        for channel in 0..<channels {
            let source = isReversed && channel < 3 ? 2 - channel : channel
            let (factor, term) = channel < 3 ? range.line(channel, steps) : (Self.opacityFactor(range), 0)
            let (start, step) = layout == .channelsFirst ? (source * width * height, 1) : (source, channels)
            for place in 0..<width * height {
                let level = values[start + place * step] * factor + term
                bytes[place * channels + channel] = UInt8(level > 0 ? min(level + 0.5, 255) : 0)
            }
        }
        self.bytes = bytes
    }

    /// Opacity is from 0 to 1, unless everything is from 0 to 255.
    private static func opacityFactor(_ range: PixelRange) -> Float { range == .bytes ? 1 : 255 }
}

extension Preprocessing.Layout {
    /// The layout of three extents of a picture without the axis of the batch: that of the network's input, unless only
    /// the other makes a picture of 1, 3 or 4 channels.
    static func ofPicture(_ extents: [Int?], _ layout: Self) -> Self {
        let counts = [1, 3, 4]
        guard extents.count == 3, let first = extents[0], let last = extents[2] else { return layout }
        if layout == .channelsFirst { return !counts.contains(first) && counts.contains(last) ? .channelsLast : layout }
        return counts.contains(first) && !counts.contains(last) ? .channelsFirst : layout
    }
}
