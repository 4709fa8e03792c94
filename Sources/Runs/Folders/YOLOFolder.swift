import FoundationEssentials
import Platform
import Vision

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
    package func content(of record: PredictionRecord) throws -> Data? {
        guard case .success(let answer) = record.answer, let objects = Self.lines(of: answer) else { return nil }
        var lines = objects.map { line in
            "\(line.index) " + (line.numbers + [line.confidence]).map(\.description).joined(separator: " ")
        }
        if lines.isEmpty { lines = [""] }
        lines[0] += String(decoding: Self.mark, as: UTF8.self) + Self.digits(of: record.id)
        return Data((lines.joined(separator: "\n") + (objects.isEmpty ? "" : "\n")).utf8)
    }

    /// An object in a file.
    private struct Line {
        let index: Int
        let numbers: [Float]
        let confidence: Float
    }

    /// What the lines of an answer say; nil for answers without objects.
    private static func lines(of answer: ImageAnswer) -> [Line]? {
        switch answer {
        case .objects(let detection):
            detection.objects.map { object in
                let corners = object.corners
                let numbers = corners.isEmpty ? numbers(of: object.box) : numbers(of: corners)
                return Line(index: object.labels.first?.index ?? 0, numbers: numbers, confidence: object.confidence)
            }
        case .instances(let segmentation):
            segmentation.instances.map {
                Line(index: $0.label.index, numbers: numbers(of: $0), confidence: $0.confidence)
            }
        case .poses(let estimation):
            estimation.poses.map { pose in
                let box = pose.box ?? NormalizedBox(around: pose.keypoints.map { SIMD2($0.x, $0.y) })
                // Readers of such files refuse points outside the picture.
                let points: [Float] = pose.keypoints.flatMap {
                    [min(max($0.x, 0), 1), min(max($0.y, 0), 1), $0.confidence ?? 1]
                }
                return Line(
                    index: pose.label?.index ?? 0, numbers: numbers(of: box) + points, confidence: pose.confidence)
            }
        default: nil
        }
    }

    /// The middle, width and height of a box.
    private static func numbers(of box: NormalizedBox) -> [Float] {
        [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height]
    }

    private static func numbers(of corners: [SIMD2<Float>]) -> [Float] { corners.flatMap { [$0.x, $0.y] } }

    /// The corners of the largest outline of a mask; those of the box where the mask has no pixel.
    private static func numbers(of instance: Instance) -> [Float] {
        let outlines = instance.runs.outline.polygons
        guard let largest = outlines.max(by: { area(of: $0) < area(of: $1) }) else {
            let box = instance.box
            return numbers(of: [
                SIMD2(box.x, box.y), SIMD2(box.maxX, box.y), SIMD2(box.maxX, box.maxY), SIMD2(box.x, box.maxY),
            ])
        }
        let extents = [Float(instance.runs.size.width), Float(instance.runs.size.height)]
        return largest.enumerated().map { Float($1) / extents[$0 % 2] }
    }

    /// Twice the area of a polygon, [x, y, x, y, …].
    private static func area(of polygon: [Int]) -> Int {
        let count = polygon.count
        return abs(
            stride(from: 0, to: count - 1, by: 2).reduce(0) { sum, index in
                let next = (index + 2) % count
                return sum + polygon[index] * polygon[next + 1] - polygon[next] * polygon[index + 1]
            })
    }

    /// The spaces and tabs that identify a file. 32 more, of a digest of the id, follow.
    package static let mark = Array(" \t\t  \t \t\t\t  \t\t \t  \t".utf8)

    private static func digits(of id: String) -> String {
        String(RecordFolder.digest(of: id).map { ($0.hexDigitValue ?? 0).isMultiple(of: 2) ? " " : "\t" })
    }
}
