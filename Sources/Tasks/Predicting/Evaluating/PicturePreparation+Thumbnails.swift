import FoundationEssentials
import Images
import Preparation

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
