import Images

/// A picture as text is looked for in it: not too large or small, and with black above and below where it is very wide
/// or low.
///
/// Source: `RapidOCR.preprocess` and `maybe_add_letterbox` of https://github.com/RapidAI/RapidOCR
package struct TextPage: Sendable, Equatable {
    /// The size of the picture.
    let original: ImageSize
    /// The size to which it is brought.
    package let resized: ImageSize
    /// The number of black rows above it, and below.
    package let border: Int

    private static let longestSide = Preprocessing.SideLimit(.longest, 2000)
    private static let shortestSide = Preprocessing.SideLimit(.shortest, 30)
    private static let minimumHeight = 30
    /// The ratio of width to height above which rows are added.
    private static let widestRatio = 8

    /// The size of the page.
    package var size: ImageSize { ImageSize(width: resized.width, height: resized.height + 2 * border) }

    package init(of size: ImageSize) throws(PreprocessingError) {
        original = size
        var edges = size
        if max(edges.width, edges.height) > Self.longestSide.length { edges = try Self.longestSide.size(of: edges) }
        if min(edges.width, edges.height) < Self.shortestSide.length { edges = try Self.shortestSide.size(of: edges) }
        resized = edges
        let isWide = Double(edges.width) / Double(edges.height) > Double(Self.widestRatio)
        let height = 2 * max(edges.width / Self.widestRatio, Self.minimumHeight)
        border = edges.height <= Self.minimumHeight || isWide ? abs(height - edges.height) / 2 : 0
    }

    /// The page of a picture.
    package func image(of picture: Image) throws(ImageError) -> Image {
        let resized = try picture.resized(to: resized, filter: .linear)
        guard border > 0 else { return resized }
        let rows = [UInt8](repeating: 0, count: border * resized.width * 3)
        return try Image(width: size.width, height: size.height, pixels: rows + resized.pixels + rows)
    }

    /// A point of the picture on the page.
    func place(_ point: PixelPoint) -> PixelPoint {
        PixelPoint(
            x: point.x * Double(resized.width) / Double(original.width),
            y: point.y * Double(resized.height) / Double(original.height) + Double(border))
    }

    /// A point of the page in the picture, within its edges. It is computed in single precision, as by NumPy.
    package func original(_ point: PixelPoint) -> PixelPoint {
        func place(_ coordinate: Double, _ resized: Int, _ edge: Int) -> Double {
            let ratio = resized == edge ? 1 : Float(Double(edge) / Double(resized))
            return Double(min(max(Float(coordinate) * ratio, 0), Float(edge)))
        }
        return PixelPoint(
            x: place(point.x, resized.width, original.width),
            y: place(point.y - Double(border), resized.height, original.height))
    }
}
