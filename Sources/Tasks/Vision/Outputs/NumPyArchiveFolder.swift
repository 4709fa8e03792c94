import FoundationEssentials
import NumPyFiles
import Platform
import Predicting

/// A folder of the outputs of a network, as NumPy's `.npz` files named after the records' ids, with an array for each
/// output.
///
///     arrays = numpy.load("arrays/photos/coffee.png.npz")
///
/// Links in the folder are not followed, and only files of the same id are replaced. If the file of another id already
/// has the name, a hash of the id is added to the name.
public final class NumPyArchiveFolder: RecordFiles {
    /// The folder's path.
    public var path: String { folder.path }

    package let folder: RecordFolder
    package let key: String? = "arrays"
    package let keepsImage = false

    /// Makes the folder if it is missing.
    ///
    /// - Parameter replacesOthers: Whether files other than those of the command may be replaced.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, replacesOthers: Bool = false) throws(ApusError) {
        let form = RecordFolder.Form(
            kind: .arrays, option: "--arrays", fileExtensions: [".npz"], noun: "file", mark: Self.mark)
        folder = try RecordFolder(path: path, form, replacesOthers: replacesOthers)
    }

    /// The arrays of a record with outputs.
    package func content(of record: PredictionRecord<ImageAnswer>) throws -> Data? {
        guard let outputs = try? record.outputs.get() else { return nil }
        return try NumPyArchive.encode(
            outputs.outputs.map { ($0.name, $0.tensor) },
            mark: Self.mark + Array(RecordFolder.digest(of: record.id).utf8))
    }

    /// The bytes that identify a file. 32 digits, a digest of the id, follow.
    package static let mark = Array("Written by apus predict --arrays, ".utf8)
}

extension OutputKind {
    /// Arrays of `apus predict --arrays`.
    package static let arrays = OutputKind(
        command: "predict", mark: .bytes(NumPyArchiveFolder.mark, within: 128))
}

extension BatchOptions {
    /// The folder where a run puts the outputs of the network; nil for none.
    public var arrays: NumPyArchiveFolder? {
        get { files(as: NumPyArchiveFolder.self).first }
        set { replaceFiles([newValue].compactMap { $0 }) }
    }
}
