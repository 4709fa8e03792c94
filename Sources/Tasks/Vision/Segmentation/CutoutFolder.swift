import FoundationEssentials
import Images
import Platform
import Predicting
import Tensors

/// A folder of pictures of which only the foreground is opaque, as PNG files with an alpha channel named after the
/// records' ids.
///
/// The opacity is that of a matte. Of other networks all objects with masks are opaque, or all classes that a picture
/// shows but the background: the class of that name, or class 0 where classes have no names.
///
/// Links in the folder are not followed, and only cut-outs of the same id are replaced. If the cut-out of another id
/// already has the name, a hash of the id is added to the name.
public final class CutoutFolder: RecordFiles {
    /// The folder's path.
    public var path: String { folder.path }

    package let folder: RecordFolder
    package let key: String? = "cutout"
    package let keepsImage = true

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than cut-outs may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        let form = RecordFolder.Form(
            kind: .cutout, option: "--cutouts", fileExtensions: [".png"], noun: "cut-out", mark: Self.mark)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The cut-out of a record that has a picture and masks.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let image = record.image, case .success(let answer) = record.answer,
            let opacity = (answer.base as? any MaskedAnswer)?.opacity, opacity.count == image.width * image.height
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(opacity.count * 4)
        for (place, alpha) in opacity.enumerated() { bytes += image.pixels[place * 3..<place * 3 + 3] + [alpha] }
        return try PNGEncoder.encode(
            bytes, size: image.size, .rgba8, comment: Self.comment + RecordFolder.digest(of: record.id))
    }

    /// The comment that identifies a cut-out. 32 digits, a digest of the id, follow.
    private static let comment = "Written by apus predict --cutouts, "

    /// The bytes of the comment.
    package static let mark = Array(comment.utf8)
}

extension OutputKind {
    /// A cut-out of `apus predict --cutouts`.
    package static let cutout = OutputKind(command: "predict", mark: .bytes(CutoutFolder.mark, within: 64))
}

extension BatchOptions {
    /// The folder where a run puts the foreground of pictures; nil for none.
    public var cutouts: CutoutFolder? {
        get { files(as: CutoutFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
