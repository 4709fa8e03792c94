import Images

extension Image {
    /// The picture with points and the lines between them.
    ///
    ///     let drawn = try image.drawing(try await detector.predict(.image(image)))
    public func drawing(_ landmarks: LandmarkDetection) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        draw(landmarks.points, landmarks.skeleton, Self.colors[1], on: &canvas)
        return try canvas.image()
    }
}
