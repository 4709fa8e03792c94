import FoundationEssentials
import Platform
import Predicting
import Preparation

/// A folder of XML files with the boxes of objects, one for each picture and named like it, in the form of Pascal VOC.
///
/// Pixels are counted from 1, and `xmax` and `ymax` are the last of the box, as in VOC's own files. Each object has its
/// `confidence`.
///
/// Links in the folder are not followed, and only files of the same id are replaced. If the file of another id already
/// has the name, a hash of the id is added to the name.
///
/// Source: http://host.robots.ox.ac.uk/pascal/VOC/voc2012/htmldoc/devkit_doc.html
public final class VOCFolder: RecordFiles {
    /// The folder's path.
    public var path: String { folder.path }

    package let folder: RecordFolder
    package let key: String? = "voc"
    package let keepsImage = false

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than those of the command may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        let form = RecordFolder.Form(
            kind: .voc, option: "--voc", fileExtensions: [".xml"], noun: "file", mark: Self.mark,
            replacesExtension: true)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The boxes of a record with objects in a picture.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let detection = try? record.detection.get() else { return nil }
        guard let size = detection.imageSize else {
            throw RecordError(stage: "write", code: "no-size", message: "boxes in pixels need a picture, not an array")
        }
        let parts = record.id.split(separator: "/", omittingEmptySubsequences: false)
        var xml = String(decoding: Self.mark, as: UTF8.self) + RecordFolder.digest(of: record.id) + " -->\n"
        xml += "  <folder>\(parts.dropLast().joined(separator: "/").escapedXML)</folder>\n"
        xml += "  <filename>\(String(parts.last ?? "").escapedXML)</filename>\n"
        xml += "  <size><width>\(size.width)</width><height>\(size.height)</height><depth>3</depth></size>\n"
        xml += "  <segmented>0</segmented>\n"
        for object in detection.objects {
            let box = object.box.pixels(in: size)
            let edges = [
                ("xmin", max(1, (box.x + 1).rounded())), ("ymin", max(1, (box.y + 1).rounded())),
                ("xmax", min(Float(size.width), (box.x + box.width).rounded())),
                ("ymax", min(Float(size.height), (box.y + box.height).rounded())),
            ]
            xml += "  <object>\n    <name>\(object.identifier.escapedXML)</name>\n"
            xml += "    <pose>Unspecified</pose>\n    <truncated>0</truncated>\n    <difficult>0</difficult>\n"
            xml += "    <confidence>\(object.confidence)</confidence>\n    <bndbox>"
            for (name, value) in edges { xml += "<\(name)>\(Int(value.isFinite ? value : 0))</\(name)>" }
            xml += "</bndbox>\n  </object>\n"
        }
        return Data((xml + "</annotation>\n").utf8)
    }

    /// The beginning of a file. 32 digits, a digest of the id, follow.
    package static let mark = Array("<annotation>\n  <!-- Written by apus predict, ".utf8)
}

extension String {
    /// The text with XML's special characters escaped, and U+FFFD in place of characters that XML does not allow.
    fileprivate var escapedXML: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\n", "\r", "\t": text += "&#\(scalar.value);"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension OutputKind {
    /// Boxes of `apus predict --voc`.
    package static let voc = OutputKind(command: "predict", mark: .bytes(VOCFolder.mark, within: 64))
}

extension BatchOptions {
    /// The folder where a run puts the boxes of objects in the form of Pascal VOC; nil for none.
    public var voc: VOCFolder? {
        get { files(as: VOCFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
