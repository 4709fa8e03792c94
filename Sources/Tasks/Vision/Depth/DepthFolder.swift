import FoundationEssentials
import Images
import NumPyFiles
import Platform
import Predicting
import Tensors

/// A folder of maps of depth, named after the records' ids: as NumPy arrays of float32 (`.npy`), or as PNG files of 16
/// bits of gray.
///
///     depth = numpy.load("depth/photos/coffee.png.npy")
///
/// In PNG files the lower end of the map's range is 0 and the upper 65,535; rows have the range. Pixels that the
/// network did not see are NaN, and 0 in PNG files.
///
/// Links in the folder are not followed, and only files of the same id are replaced. If the file of another id already
/// has the name, a hash of the id is added to the name.
public final class DepthFolder: RecordFiles {
    /// The form of the files.
    public enum Form: String, Sendable, CaseIterable {
        case npy, png
    }

    /// The folder's path.
    public var path: String { folder.path }
    /// The form of the files.
    public let form: Form

    package let folder: RecordFolder
    package var key: String? { form.rawValue }
    package let keepsImage = false

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than those of the command may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, form: Form, replacesOthers: Bool = false) throws(ApusError) {
        self.form = form
        let files = RecordFolder.Form(
            kind: .depth, option: "--depth", fileExtensions: [".\(form)"], noun: "map", mark: Self.mark)
        folder = try RecordFolder(path: path, files, replacesOthers: replacesOthers)
    }

    /// The map of a record with depth.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let depth = try? record.depth.get() else { return nil }
        let comment = Self.comment + RecordFolder.digest(of: record.id)
        switch form {
        case .npy:
            var file = Data(NumPyHeader(.float32, shape: depth.values.shape).encoded(comment: comment))
            try depth.values.withContiguousBytes { file.append(contentsOf: $0) }
            return file
        case .png:
            let bytes = depth.values.elements(as: Float.self).flatMap { number in
                let level = depth.level(number, most: 65_535)
                return [UInt8(level >> 8), UInt8(level & 255)]
            }
            return try PNGEncoder.encode(bytes, size: depth.imageSize, .gray16, comment: comment)
        }
    }

    /// The comment that identifies a file. 32 digits, a digest of the id, follow.
    private static let comment = "Written by apus predict --depth, "

    /// The bytes of the comment.
    package static let mark = Array(comment.utf8)
}

extension OutputKind {
    /// A map of `apus predict --depth`.
    package static let depth = OutputKind(command: "predict", mark: .bytes(DepthFolder.mark, within: 192))
}

extension BatchOptions {
    /// The folders where a run puts maps of depth.
    public var depth: [DepthFolder] {
        get { files() }
        set { replaceFiles(newValue) }
    }
}
