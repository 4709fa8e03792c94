import Images

extension Image {
    /// The picture with a color laid over each object, half and half, and its box and caption.
    ///
    ///     let drawn = try image.drawing(try await segmenter.predict(.image(image)))
    public func drawing(_ segmentation: InstanceSegmentation) throws(ImageError) -> Image {
        guard segmentation.imageSize == size else {
            throw .invalidSize("masks of \(segmentation.imageSize) do not fit a picture of \(size)")
        }
        var drawn = pixels
        for (place, number) in segmentation.numbers.enumerated() where number > 0 {
            let index = segmentation.instances[Int(number) - 1].label.index
            let color = Self.colors[max(0, index) % Self.colors.count]
            for (channel, part) in [color.red, color.green, color.blue].enumerated() {
                drawn[place * 3 + channel] = UInt8((Int(drawn[place * 3 + channel]) + Int(part) + 1) / 2)
            }
        }
        let objects = segmentation.instances.map {
            RecognizedObject(confidence: $0.confidence, box: $0.box, labels: [$0.label])
        }
        return try Image(width: width, height: height, pixels: drawn).drawing(objects)
    }
}
