import FoundationEssentials
import Images
import Platform
import Predicting
import Tensors

/// A folder of masks, as PNG files named after the records' ids.
///
/// Pixels are the numbers of classes, with the palette of PASCAL VOC: bytes, or 16 bits of gray where there are more
/// than 255 classes. Pixels that the network did not see have the largest number. Where the network gives a matte,
/// pixels are its levels of gray. Where it gives objects, pixels are their numbers from 1, 16 bits of gray, and 0 where
/// there is none.
///
/// Links in the folder are not followed, and only masks of the same id are replaced. If the mask of another id already
/// has the name, a hash of the id is added to the name.
public final class MaskFolder: RecordFiles {
    /// The folder's path.
    public var path: String { folder.path }

    package let folder: RecordFolder
    package let key: String? = "mask"
    package let keepsImage = false

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than masks may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        let form = RecordFolder.Form(
            kind: .mask, option: "--masks", fileExtensions: [".png"], noun: "mask", mark: Self.mark)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The mask of a record with segments or instances.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let answer = try? record.answer.get().base as? any MaskedAnswer else { return nil }
        return try answer.maskFile(comment: Self.comment + RecordFolder.digest(of: record.id))
    }

    /// The comment that identifies a mask. 32 digits, a digest of the id, follow.
    private static let comment = "Written by apus predict --masks, "

    /// The bytes of the comment.
    package static let mark = Array(comment.utf8)
}

extension OutputKind {
    /// A mask of `apus predict --masks`.
    package static let mask = OutputKind(command: "predict", mark: .bytes(MaskFolder.mark, within: 64))
}

extension BatchOptions {
    /// The folder where a run puts the masks of segments; nil for none.
    public var masks: MaskFolder? {
        get { files(as: MaskFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
