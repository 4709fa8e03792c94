import FoundationEssentials
import Platform
import Vision

/// A folder of text files with the boxes of objects, one for each picture and named like it, as YOLO's tools read them.
///
///     photos/street.jpg  →  photos/street.txt
///     0 0.5 0.25 0.1 0.2 0.93
///
/// A line has the class's position, the box's middle, width and height in fractions of the picture, and the confidence.
/// A turned box has the four corners, x and y of each, in place of the middle, width and height. The file of a picture
/// without objects has no line. Spaces and tabs behind the first line, which readers pass over,
/// say which picture the file is of.
///
/// Links in the folder are not followed, and only files of the same id are replaced. If the file of another id already
/// has the name, a hash of the id is added to the name.
///
/// Source: https://docs.ultralytics.com/modes/predict, `save_txt` and `save_conf`
public final class YOLOFolder: RecordFiles {
    /// The folder's path.
    public var path: String { folder.path }

    package let folder: RecordFolder
    package let key: String? = "yolo"
    package let keepsImage = false

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than those of the command may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        let form = RecordFolder.Form(
            kind: .yolo, option: "--yolo", fileExtensions: [".txt"], noun: "file", mark: Self.mark,
            replacesExtension: true, digits: Self.digits)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The boxes of a record with objects.
    package func content(of record: PredictionRecord) throws -> Data? {
        guard case .success(.objects(let detection)) = record.answer else { return nil }
        var lines = detection.objects.map { object in
            let numbers = Self.numbers(of: object) + [object.confidence]
            return "\(object.labels.first?.index ?? 0) " + numbers.map(\.description).joined(separator: " ")
        }
        if lines.isEmpty { lines = [""] }
        lines[0] += String(decoding: Self.mark, as: UTF8.self) + Self.digits(of: record.id)
        return Data((lines.joined(separator: "\n") + (detection.objects.isEmpty ? "" : "\n")).utf8)
    }

    /// The middle, width and height of a box, or the corners of a turned one.
    private static func numbers(of object: RecognizedObject) -> [Float] {
        guard object.corners.isEmpty else { return object.corners.flatMap { [$0.x, $0.y] } }
        let box = object.box
        return [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height]
    }

    /// The spaces and tabs that identify a file. 32 more, of a digest of the id, follow.
    package static let mark = Array(" \t\t  \t \t\t\t  \t\t \t  \t".utf8)

    private static func digits(of id: String) -> String {
        String(RecordFolder.digest(of: id).map { ($0.hexDigitValue ?? 0).isMultiple(of: 2) ? " " : "\t" })
    }
}
