import NumPyFiles
import Platform
import Preparation
import Tensors

/// Lists the rows of the arrays in an `.npz` archive, array by array.
///
/// Rows are decompressed during listing, so no array is held in memory whole.
struct NumPyArchiveListing {
    private struct PictureArray {
        let entry: ZipArchive.Entry
        let name: String
        let rows: NumPyRows
        let labels: [Int]?
    }

    /// The maximum size in bytes of an array of labels.
    private static let maximumLabelBytes = 256 << 20

    private let path: String
    private let archive: ZipArchive
    private var arrays: ArraySlice<PictureArray>
    private var reader: ZipArchive.Reader?
    private var index = 0

    /// Makes a listing of an archive.
    static func make(_ path: String) throws(ApusError) -> RecordListing {
        var listing = try NumPyArchiveListing(path)
        return RecordListing { () throws(ApusError) -> ImageRecord? in try listing.next() }
    }

    private init(_ path: String) throws(ApusError) {
        self.path = path
        let source = try ByteSource(path: path)
        do {
            let archive = try ZipArchive(source)
            self.archive = archive
            let headers = try archive.entries.filter { $0.name.hasSuffix(".npy") }.map { entry in
                (entry, name: String(entry.name.dropLast(4)), header: try Self.header(archive, entry))
            }
            let labelEntries = headers.filter { $0.header.shape.count == 1 && $0.header.elementType.isWholeNumber }
            arrays = try headers.filter { $0.header.shape.count >= 3 }.map { entry, name, header in
                let rows = try NumPyRows(header)
                guard rows.count * rows.byteCount == entry.byteCount - header.byteCount else {
                    throw NumPyError.damaged("its size in the archive differs from that of its elements")
                }
                guard !header.isFortranOrder else {
                    throw NumPyError.unsupported("its first axis is contiguous; save it with numpy.ascontiguousarray")
                }
                let names = [name.replacing("x", with: "y"), "labels", "label", "y"]
                let labels = names.lazy.compactMap { wanted in
                    labelEntries.first { $0.name == wanted && $0.header.shape == [rows.count] }
                }.first
                return PictureArray(
                    entry: entry, name: name, rows: rows,
                    labels: try labels.map { try Self.labels(archive, $0.0, $0.header) })
            }[...]
        } catch let error as ZipArchive.Damage {
            throw error.error(path)
        } catch let error as ApusError {
            throw error
        } catch {
            throw .file(path: path, message: "holds an array that \(error)")
        }
        guard !arrays.isEmpty else {
            throw .file(path: path, message: "is a zip archive without NumPy arrays of pictures; unpack it first")
        }
    }

    private static func header(_ archive: ZipArchive, _ entry: ZipArchive.Entry) throws -> NumPyHeader {
        let reader = try ZipArchive.Reader(archive, entry)
        var left = entry.byteCount
        return try NumPyHeader { count in
            let part = try reader.read(min(count, left))
            left -= part.count
            return part
        }
    }

    private static func labels(
        _ archive: ZipArchive, _ entry: ZipArchive.Entry, _ header: NumPyHeader
    ) throws -> [Int] {
        guard entry.byteCount <= maximumLabelBytes else { throw NumPyError.unsupported("its labels are too long") }
        let data = try ZipArchive.Reader(archive, entry).read(entry.byteCount)
        return try Tensor(numPyData: data).elements(as: Int64.self).map { Int($0) }
    }

    private mutating func next() throws(ApusError) -> ImageRecord? {
        while let array = arrays.first {
            guard index < array.rows.count else {
                arrays.removeFirst()
                (reader, index) = (nil, 0)
                continue
            }
            let row = index
            index += 1
            let id = "\(path)/\(array.name)[\(row)]"
            let label = array.labels.map { String($0[row]) }
            do throws(ZipArchive.Damage) {
                if reader == nil { reader = try beginning(of: array) }
                guard let data = try reader?.read(array.rows.byteCount) else { return nil }
                return ImageRecord(id: id, label: label, source: .deferred { try array.rows.source(data) })
            } catch {
                // Data after the damage cannot be trusted.
                index = array.rows.count
                let error = RecordError(stage: "read", code: "corrupt", message: error.error(path).messageOfFile)
                return ImageRecord(id: id, label: label, source: .failure(error))
            }
        }
        return nil
    }

    /// A reader positioned after the array's header.
    private func beginning(of array: PictureArray) throws(ZipArchive.Damage) -> ZipArchive.Reader {
        let reader = try ZipArchive.Reader(archive, array.entry)
        _ = try reader.read(array.rows.header.byteCount)
        return reader
    }
}

extension ApusError {
    /// The message of an error about a file, without the file's name.
    var messageOfFile: String {
        if case .file(_, let message) = self { message } else { "\(self)" }
    }
}

extension ElementType {
    fileprivate var isWholeNumber: Bool { !isFloatingPoint && self != .bool }
}
