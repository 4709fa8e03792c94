import Images

extension Image {
    /// The picture, with a width and height of at most `side` pixels; nil where memory is short.
    package func thumbnail(side: Int) -> Image? {
        let scale = min(1, Double(side) / Double(max(width, height)))
        let size = ImageSize(width: max(1, Int(Double(width) * scale)), height: max(1, Int(Double(height) * scale)))
        return try? resized(to: size, filter: .bilinear)
    }
}
