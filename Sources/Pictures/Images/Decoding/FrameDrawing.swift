/// Draws the frames of an animation, each on those before it.
protocol FrameDrawing: AnyObject {
    /// The size of the picture with the next frame.
    var nextSize: ImageSize { get }

    /// Draws the next frame.
    func drawNext() throws(ImageError)

    /// The picture with the last frame that was drawn.
    func image() throws(ImageError) -> Image
}

extension FrameDrawing {
    /// The picture with a frame, from the first on.
    func image(ofFrame frame: Int) throws(ImageError) -> Image {
        for _ in 0...frame { try drawNext() }
        return try image()
    }
}
