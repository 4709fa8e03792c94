import Images

extension Image {
    /// The picture with the points of people or hands and the lines between them. Points below a confidence of 0.3 are
    /// left out.
    ///
    ///     let drawn = try image.drawing(try await estimator.predict(.image(image)))
    public func drawing(_ estimation: PoseEstimation) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        for (position, pose) in estimation.poses.enumerated().reversed() {
            let color = Self.colors[position % Self.colors.count]
            draw(pose.keypoints, estimation.skeleton, color, on: &canvas)
        }
        return try canvas.image()
    }
}
