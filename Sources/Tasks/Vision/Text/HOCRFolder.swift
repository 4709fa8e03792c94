import FoundationEssentials
import Platform
import Predicting

/// A folder of hOCR files with the lines of text, one for each picture and named like it.
///
///     pages/letter.png  →  pages/letter.hocr
///
/// Each is a document as ``HOCRSink`` writes it, of one page.
///
/// Links in the folder are not followed, and only files of the same id are replaced. If the file of another id already
/// has the name, a hash of the id is added to the name.
public final class HOCRFolder: RecordFiles {
    /// The folder's path.
    public var path: String { folder.path }

    package let folder: RecordFolder
    package let key: String? = "hocr"
    package let keepsImage = false

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than those of the command may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        let form = RecordFolder.Form(
            kind: .hOCR, option: "--hocr", fileExtensions: [".hocr"], noun: "page", mark: Self.mark,
            replacesExtension: true)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The page of a record with text.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard (try? record.text.get()) != nil else { return nil }
        let beginning = String(decoding: Self.mark, as: UTF8.self) + RecordFolder.digest(of: record.id) + " -->\n"
        return Data((beginning + HOCRDocument.head + HOCRPage(record, number: 1).text + HOCRDocument.end).utf8)
    }

    /// The beginning of a file. 32 digits, a digest of the id, follow.
    package static let mark = Array("\(HOCRDocument.declaration)<!-- Written by apus predict, ".utf8)
}

extension OutputKind {
    /// A page of `apus predict --hocr`.
    package static let hOCR = OutputKind(command: "predict", mark: .bytes(HOCRFolder.mark, within: 128))
}

extension BatchOptions {
    /// The folder where a run puts pages of hOCR; nil for none.
    public var hOCR: HOCRFolder? {
        get { files(as: HOCRFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
