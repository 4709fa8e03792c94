import Images
import Tensors

extension Image {
    /// The picture with the colors of classes laid over it, half and half. What is called background, and class 0 where
    /// classes have no names, stays as it is. A matte is laid over it in one color, as far as its levels go.
    ///
    ///     let drawn = try image.drawing(try await segmenter.predict(.image(image)))
    public func drawing(_ segmentation: Segmentation) throws(ImageError) -> Image {
        guard segmentation.imageSize == size else {
            throw .invalidSize("a mask of \(segmentation.imageSize) does not fit a picture of \(size)")
        }
        let indices = segmentation.classes.elements(as: Int32.self).map(Int.init)
        let levels = segmentation.matte?.elements(as: UInt8.self)
        let unseen = Segmentation.unseen(segmentation.classes.elementType)
        let left = Set(segmentation.segments.filter(\.isBackground).map(\.index))
        var drawn = pixels
        for (place, index) in indices.enumerated() where levels != nil || index != unseen && !left.contains(index) {
            let color = Preprocessing.Color.ofClasses[levels == nil ? index % 256 : 1]
            let share = levels.map { Int($0[place]) } ?? 255
            for (channel, part) in [color.red, color.green, color.blue].enumerated() {
                let before = Int(drawn[place * 3 + channel]) * (510 - share)
                let mixed = before + Int(part) * share
                drawn[place * 3 + channel] = UInt8(clamping: (mixed + 255) / 510)
            }
        }
        return try Image(width: width, height: height, pixels: drawn)
    }
}

extension Segment {
    /// Whether the segment is what no other class covers.
    package var isBackground: Bool {
        label.map { $0.lowercased().contains("background") } ?? (index == 0)
    }
}
