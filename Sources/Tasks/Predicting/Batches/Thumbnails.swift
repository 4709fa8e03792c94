import FoundationEssentials
import Images
import Preparation

extension Image {
    /// The picture, with a width and height of at most `side` pixels; nil where memory is short.
    package func thumbnail(side: Int) -> Image? {
        let scale = min(1, Double(side) / Double(max(width, height)))
        let size = ImageSize(width: max(1, Int(Double(width) * scale)), height: max(1, Int(Double(height) * scale)))
        return try? resized(to: size, filter: .bilinear)
    }
}

extension PicturePreparation {
    /// A small copy of a picture as a JPEG file; nil for arrays and undecodable pictures.
    ///
    /// - Parameter drawing: Draws on the picture before it becomes small.
    package func thumbnail(
        of source: ImageSource, side: Int = 160,
        drawing: @escaping @Sendable (Image) throws -> Image = { $0 }
    ) async throws -> Data? {
        try await executor.run { [decodingOptions] in
            guard let image = try? drawing(try source.image(decodingOptions)) else { return nil }
            return try? image.thumbnail(side: side)?.jpegData(quality: 80)
        }
    }
}
