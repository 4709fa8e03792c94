import FoundationEssentials
import Images
import Platform
import Tensors

/// The source of a picture for predictions.
public enum ImageSource: Sendable {
    /// A picture file. Of several pages or frames, the first is taken.
    case file(String)
    /// One page or frame of a picture file, by its index from 0.
    case frame(Int, ofFile: String)
    /// The content of a picture file.
    case data(Data)
    /// A decoded picture.
    case image(Image)
    /// The numbers that the network takes, without the axis of the batch and without preprocessing.
    case array(Tensor)
    /// A source that is fetched on the thread that prepares the picture, such as a part of an archive or a row of an
    /// array.
    ///
    /// The closure throws ``RecordError`` or ``ApusError``, and must not return another `.deferred`.
    case deferred(@Sendable () throws -> ImageSource)
    /// A record that is listed but has no picture, with the reason.
    case failure(RecordError)
}

extension ImageSource {
    /// The path of the picture's file; nil for other sources.
    package var path: String? {
        switch self {
        case .file(let path), .frame(_, let path): path
        default: nil
        }
    }

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
        case .frame(let index, let path):
            let frames = try FrameFiles.frames(path)
            defer { FrameFiles.release(path, frames) }
            return try frames.image(index, options)
        case .failure(let error): throw error
        case .array, .deferred:
            throw RecordError(stage: "read", code: "no-picture", message: "is an array of numbers, not a picture")
        }
    }
}
