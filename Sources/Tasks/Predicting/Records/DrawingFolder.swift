import FoundationEssentials
import Images
import Platform

/// A folder of pictures with their objects, segments, points or lines of text drawn on them, or of depth in colors, as
/// JPEG files named after the records' ids.
///
/// Links in the folder are not followed, and only drawings of the same id are replaced. If the drawing of another id
/// already has the name, a hash of the id is added to the name.
public final class DrawingFolder: RecordFiles {
    /// The folder's path.
    public var path: String { folder.path }

    package let folder: RecordFolder
    package let key: String? = nil
    package let keepsImage = true

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than drawings may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        let form = RecordFolder.Form(
            kind: .drawing, option: "--draw", fileExtensions: Self.fileExtensions, stage: "draw", noun: "drawing",
            verb: "drawn", mark: Self.mark, isDurable: false)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The drawing of a record that has a picture and objects, segments or points.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let image = record.image, case .success(let answer) = record.answer,
            let drawn = try answer.base.drawing(on: image)
        else { return nil }
        return Self.comment.inserted(into: try drawn.jpegData(quality: 90), id: record.id)
    }

    private static let fileExtensions = [".jpg", ".jpeg"]

    /// The path of a record's drawing within the folder.
    package static func fileName(of id: String) -> String { RecordFolder.fileName(of: id, fileExtensions) }

    /// The comment that identifies a drawing.
    private static let comment = JPEGComment(text: "Drawn by apus predict --draw, ")

    /// The bytes of the comment before the digits.
    package static var mark: [UInt8] { comment.mark }
}

extension OutputKind {
    /// A picture of `apus predict --draw`.
    package static let drawing = OutputKind(command: "predict", mark: .bytes(DrawingFolder.mark, within: 64))
}

extension BatchOptions {
    /// The folder where a run puts pictures with what was found drawn on them; nil for none.
    public var drawing: DrawingFolder? {
        get { files(as: DrawingFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
