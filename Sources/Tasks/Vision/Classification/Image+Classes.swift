import Images
import Predicting

extension Image {
    /// The picture with the names and confidences of classes in its upper left corner, one below the other.
    ///
    ///     let drawn = try image.drawing(try await classifier.predict(.image(image)).top(5))
    public func drawing(_ classes: [ClassificationObservation]) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        let scale = max(1, min(width, height) / 300)
        var y = 0
        for observation in classes {
            let text = Self.caption(observation.identifier, observation.confidence)
            let color = Self.colors[observation.index % Self.colors.count]
            canvas.write(text, x: 0, y: y, scale: scale, color.ofText, on: color)
            y += Canvas.extent(of: text, scale: scale).height
        }
        return try canvas.image()
    }

    /// The number of classes that are drawn.
    static let drawnClassCount = 5
}
