import FoundationEssentials
import Images
import Platform
import Predicting
import Tensors

/// A folder of pictures that a network made, as PNG or JPEG files named after the records' ids.
///
/// Pictures are upright, so that files say nothing of an orientation.
///
/// Links in the folder are not followed, and only files of the same id are replaced. If the file of another id already
/// has the name, a hash of the id is added to the name.
public final class ImageFolder: RecordFiles {
    /// The form of the files.
    public enum Form: String, Sendable, CaseIterable {
        case png, jpeg
    }

    /// The folder's path.
    public var path: String { folder.path }
    /// The form of the files.
    public let form: Form

    package let folder: RecordFolder
    package let key: String? = "file"
    package let keepsImage = false

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than those of the command may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, form: Form = .png, replacesOthers: Bool = false) throws(ApusError) {
        self.form = form
        let files = RecordFolder.Form(
            kind: .image, option: "--images", fileExtensions: form == .png ? [".png"] : [".jpg", ".jpeg"],
            noun: "picture", mark: Self.mark)
        folder = try RecordFolder(path: path, files, replacesOthers: replacesOthers)
    }

    /// The picture of a record that has one.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let image = try? record.generatedImage.get() else { return nil }
        switch form {
        case .png:
            let pixels: PNGEncoder.Pixels =
                switch image.channelCount {
                case 1: .gray8
                case 3: .rgb8
                default: .rgba8
                }
            let comment = Self.comment + RecordFolder.digest(of: record.id)
            return try PNGEncoder.encode(
                size: image.size, pixels, comment: comment,
                bands: image.bands.lazy.map {
                    $0.elements(as: UInt8.self)
                })
        case .jpeg:
            guard image.channelCount != 4 else {
                throw ImageError.invalidSize("a JPEG file has no channel for opacity; PNG files have")
            }
            let file = try image.image().jpegData(quality: 95)
            return JPEGComment(text: Self.comment).inserted(into: file, id: record.id)
        }
    }

    /// The comment that identifies a file. 32 digits, a digest of the id, follow.
    private static let comment = "Written by apus predict --images, "

    /// The bytes of the comment.
    package static let mark = Array(comment.utf8)
}

extension OutputKind {
    /// A picture of `apus predict --images`.
    package static let image = OutputKind(command: "predict", mark: .bytes(ImageFolder.mark, within: 128))
}

extension BatchOptions {
    /// The folder where a run puts pictures that the network made; nil for none.
    public var images: ImageFolder? {
        get { files(as: ImageFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
