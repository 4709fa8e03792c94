import FoundationEssentials
import Images
import NumPyFiles
import Platform
import Preparation
import Tensors

/// The rows of NumPy arrays: each index of the first axis is a record.
///
/// An array of uint8 that is one picture, `[H, W, 3]` or `[H, W, 1]`, is one record. Rows of uint8 with three channels
/// or one, `[H, W, 3]`, `[3, H, W]`, `[H, W, 1]`, `[1, H, W]` or `[H, W]`, are pictures. All other rows are passed to
/// the network unchanged and must have the shape of its input.
///
/// In an `.npz` archive every array with three or more axes holds records. The labels are a one-axis array of whole
/// numbers. Its name is that of the pictures with `x` replaced by `y` (`x_train` and `y_train`), or else `labels`,
/// `label` or `y`.
///
/// Ids are `FILE.npy[0]` and `FILE.npz/NAME[0]`. A truncated array ends with an error record in place of its first
/// missing row.
public struct NumPyDataset: Dataset {
    private let path: String

    package init(path: String) { self.path = path }

    public var containers: [String] { [path] }

    public var canBeListedAhead: Bool { !Self.isArchive(path) }

    public func records() throws(ApusError) -> RecordListing {
        try (Self.isArchive(path) ? NumPyArchiveListing.make(path) : arrayRecords()).refusingNothing(in: path)
    }

    /// Whether a file's content begins like a zip archive.
    static func isArchive(_ path: String) -> Bool { FileStart(path)?.isZip ?? false }

    private func arrayRecords() throws(ApusError) -> RecordListing {
        let source = try ByteSource(path: path)
        guard let fileByteCount = source.byteCount else {
            throw .file(path: path, message: "is a pipe; arrays are read from files")
        }
        let rows: NumPyRows
        do {
            let header = try NumPyHeader { try source.readFully($0) }
            rows = try NumPyRows(header)
        } catch let error as ApusError {
            throw error
        } catch {
            throw .file(path: path, message: "\(error)")
        }
        let present = fileByteCount - rows.header.byteCount
        guard present <= rows.byteCount * rows.count else {
            throw .file(path: path, message: "is not a valid .npy file: there are bytes after its elements")
        }
        let wholeCount = min(rows.count, max(0, present) / rows.byteCount)
        if rows.header.isFortranOrder, rows.header.shape.count > 1 { return try columnMajorRecords(rows) }
        var index = 0
        return RecordListing { [path] () throws(ApusError) -> ImageRecord? in
            guard index < rows.count, index <= wholeCount else { return nil }
            let (row, id) = (index, "\(path)[\(index)]")
            index += 1
            if row == wholeCount {
                return ImageRecord(id: id, source: .failure(rows.cutOff(after: wholeCount)))
            }
            let offset = rows.header.byteCount + row * rows.byteCount
            return ImageRecord(
                id: id,
                source: .deferred {
                    let data = try FileContent.read(path, at: offset, count: rows.byteCount)
                    guard data.count == rows.byteCount else { throw rows.cutOff(after: row) }
                    return try rows.source(data)
                })
        }
    }

    /// The rows of an array whose first axis is contiguous. The array is read whole.
    private func columnMajorRecords(_ rows: NumPyRows) throws(ApusError) -> RecordListing {
        let array = try Tensor(contentsOfNumPyFile: path)
        var index = 0
        return RecordListing { [path] () throws(ApusError) -> ImageRecord? in
            guard index < rows.count else { return nil }
            let row = index
            index += 1
            return ImageRecord(
                id: "\(path)[\(row)]",
                source: .deferred {
                    let part = rows.isOnePicture ? array : try array.sliced(axis: 0, row..<row + 1)
                    return try NumPyRows.source(part.reshaped(to: rows.shape))
                })
        }
    }
}

/// The rows along the first axis of an array.
struct NumPyRows {
    let header: NumPyHeader
    /// Whether the whole array is one picture, `[H, W, 3]` or `[H, W, 1]`, rather than several pictures one or three
    /// pixels wide.
    let isOnePicture: Bool
    let count: Int
    /// The shape of one row.
    let shape: [Int]
    /// The bytes of one row.
    let byteCount: Int

    /// The maximum size of a row in bytes.
    private static let maximumRowBytes = 1 << 30

    init(_ header: NumPyHeader) throws(NumPyError) {
        guard let first = header.shape.first else { throw .unsupported("it is one number, without rows") }
        self.header = header
        let wholeByteCount = (try? Shape.byteCount(header.shape, header.elementType)) ?? Int.max
        isOnePicture =
            header.elementType == .uint8 && header.shape.count == 3 && [1, 3].contains(header.shape[2])
            && wholeByteCount <= Self.maximumRowBytes
        count = isOnePicture ? 1 : first
        shape = isOnePicture ? header.shape : Array(header.shape.dropFirst())
        do {
            _ = try Shape.byteCount(header.shape, header.elementType)
            byteCount = try Shape.byteCount(shape, header.elementType)
        } catch {
            throw .damaged("\(error)")
        }
        guard byteCount > 0, byteCount <= Self.maximumRowBytes else {
            throw .unsupported("its rows have \(byteCount) bytes; 1 to \(Self.maximumRowBytes) are read")
        }
    }

    /// The error of the first missing row.
    func cutOff(after wholeCount: Int) -> RecordError {
        RecordError(
            stage: "read", code: "truncated", message: "the array is cut off: \(wholeCount) of \(count) rows are there")
    }

    /// Makes a row from its bytes.
    func source(_ data: Data) throws -> ImageSource {
        var row = header
        row.shape = shape
        row.isFortranOrder = false
        return try Self.source(Tensor(numPyElements: data, row))
    }

    /// Makes a picture from a row that has a picture's type and shape, or numbers for the network from any other.
    static func source(_ row: Tensor) throws -> ImageSource {
        guard row.elementType == .uint8, let pixels = try pixels(row) else { return .array(row) }
        let values = pixels.elements(as: UInt8.self)
        let isGray = pixels.shape[2] == 1
        return .image(
            try Image(
                width: pixels.shape[1], height: pixels.shape[0],
                pixels: isGray ? values.flatMap { [$0, $0, $0] } : values))
    }

    /// The row as `[H, W, C]`; nil when it is not a picture.
    private static func pixels(_ row: Tensor) throws(TensorError) -> Tensor? {
        switch row.shape.count {
        case 2: try row.reshaped(to: row.shape + [1])
        case 3 where row.shape[2] == 3 || row.shape[2] == 1: row
        case 3 where row.shape[0] == 3 || row.shape[0] == 1: try row.transposed([1, 2, 0])
        default: nil
        }
    }
}

extension Dataset where Self == NumPyDataset {
    /// A dataset of the rows of an `.npy` array, or of the arrays in an `.npz` archive.
    public static func numPy(_ path: String) -> NumPyDataset { NumPyDataset(path: path) }
}
