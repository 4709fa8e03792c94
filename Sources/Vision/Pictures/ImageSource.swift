import Foundation
import Images
import Platform
import Tensors

/// A picture to be predicted.
public enum ImageSource: Sendable {
    /// A JPEG or PNG file.
    case file(String)
    /// The content of a JPEG or PNG file.
    case data(Data)
    /// A decoded picture.
    case image(Image)
    /// The numbers that the network takes, without the axis of the batch; nothing is preprocessed.
    case array(Tensor)
    /// Fetched on the thread that prepares the picture: a part of an archive, a row of an array.
    ///
    /// The closure throws ``RecordError`` or ``ApusError`` and gives no further `.deferred`.
    case deferred(@Sendable () throws -> ImageSource)
    /// A record that is listed but has no picture; says why.
    case failure(RecordError)
}

extension ImageSource {
    /// The source that a deferred one stands for.
    package func resolved() throws -> ImageSource {
        switch self {
        case .deferred(let fetch): try fetch()
        default: self
        }
    }

    /// Reads and decodes the picture.
    ///
    /// - Throws: ``RecordError``, ``ApusError`` or ``ImageError``.
    package func image(_ options: Image.DecodingOptions) throws -> Image {
        switch try resolved() {
        case .image(let image): return image
        case .data(let data): return try Image(decoding: data, options: options)
        case .file(let path):
            let data = try FileContent.read(path, atMost: FileContent.maximumPictureByteCount)
            return try Image(decoding: data, options: options)
        case .failure(let error): throw error
        case .array, .deferred:
            throw RecordError(stage: "read", code: "no-picture", message: "is an array of numbers, not a picture")
        }
    }
}
