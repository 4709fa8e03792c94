import FoundationEssentials
import Platform
import Predicting

/// A folder of text files with the objects of pictures, one for each picture and named like it, as YOLO's tools read
/// them.
///
///     photos/street.jpg  →  photos/street.txt
///     0 0.5 0.25 0.1 0.2 0.93
///
/// A line has the class's position, the box's middle, width and height in fractions of the picture, and the confidence.
/// A turned box has the four corners, x and y of each, in place of the middle, width and height. An object with a mask
/// has the corners of its largest outline there; a pose has its box, and behind it x, y and confidence of each point.
/// The file of a picture without objects has no line. Spaces and tabs behind the first line, which readers pass over,
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

    /// The objects of a record, of one line each.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let objects = (try? record.answer.get().base as? any YOLOAnswer)?.yoloLines else { return nil }
        var lines = objects.map { line in
            "\(line.index) " + (line.numbers + [line.confidence]).map(\.description).joined(separator: " ")
        }
        if lines.isEmpty { lines = [""] }
        lines[0] += String(decoding: Self.mark, as: UTF8.self) + Self.digits(of: record.id)
        return Data((lines.joined(separator: "\n") + (objects.isEmpty ? "" : "\n")).utf8)
    }

    /// The spaces and tabs that identify a file. 32 more, of a digest of the id, follow.
    package static let mark = Array(" \t\t  \t \t\t\t  \t\t \t  \t".utf8)

    private static func digits(of id: String) -> String {
        String(RecordFolder.digest(of: id).map { ($0.hexDigitValue ?? 0).isMultiple(of: 2) ? " " : "\t" })
    }
}

/// An answer whose objects stand in files of YOLO's form.
protocol YOLOAnswer: TaskAnswer {
    /// The objects, in the order of the answer.
    var yoloLines: [YOLOLine] { get }
}

/// An object in a file of YOLO's form.
struct YOLOLine {
    /// The class's position.
    let index: Int
    /// The place, in fractions of the picture.
    let numbers: [Float]
    let confidence: Float

    /// The middle, width and height of a box.
    static func numbers(of box: NormalizedBox) -> [Float] {
        [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height]
    }
}

extension ObjectDetection: YOLOAnswer {
    var yoloLines: [YOLOLine] {
        objects.map { object in
            let corners = object.corners.flatMap { [$0.x, $0.y] }
            return YOLOLine(
                index: object.labels.first?.index ?? 0,
                numbers: corners.isEmpty ? YOLOLine.numbers(of: object.box) : corners, confidence: object.confidence)
        }
    }
}

extension OutputKind {
    /// Boxes of `apus predict --yolo`.
    package static let yolo = OutputKind(command: "predict", mark: .bytes(YOLOFolder.mark, within: 128))
}

extension BatchOptions {
    /// The folder where a run puts the places of objects in YOLO's form; nil for none.
    public var yolo: YOLOFolder? {
        get { files(as: YOLOFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
