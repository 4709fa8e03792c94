import Foundation
import Images
import Platform
import Vision

/// A folder of pictures with their objects or segments drawn on them, as JPEG files named after the records' ids.
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
            verb: "drawn", mark: Self.mark)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The drawing of a record that has a picture and objects or segments.
    package func content(of record: PredictionRecord) throws -> Data? {
        guard let image = record.image, case .success(let answer) = record.answer else { return nil }
        let drawn: Image
        switch answer {
        case .objects(let detection): drawn = try image.drawing(detection.objects)
        case .segments(let segmentation): drawn = try image.drawing(segmentation)
        case .parts(let parts): drawn = try image.drawing(parts.parts.map(\.object))
        case .text(let text): drawn = try image.drawing(text)
        case .classes, .embedding, .outputs: return nil
        }
        return Self.marked(try drawn.jpegData(quality: 90), id: record.id)
    }

    private static let fileExtensions = [".jpg", ".jpeg"]

    /// The path of a record's drawing within the folder.
    package static func fileName(of id: String) -> String { RecordFolder.fileName(of: id, fileExtensions) }

    /// The start of the comment that identifies a drawing. 32 digits, a digest of the id, follow.
    private static let comment = "Drawn by apus predict --draw, "

    /// The segment of the comment without the digits: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.4.5
    package static let mark: [UInt8] = [0xFF, 0xFE, 0, UInt8(2 + comment.utf8.count + 32)] + Array(comment.utf8)

    /// Inserts the comment into a JPEG file, after its first segment, which is that of JFIF.
    private static func marked(_ file: Data, id: String) -> Data {
        let bytes = [UInt8](file.prefix(6))
        let hasFirst = bytes.count == 6 && bytes[2] == 0xFF && bytes[3] == 0xE0
        let place = min(file.count, hasFirst ? 4 + Int(bytes[4]) << 8 + Int(bytes[5]) : 2)
        return file.prefix(place) + Data(mark) + Data(RecordFolder.digest(of: id).utf8) + file.dropFirst(place)
    }
}
