import FoundationEssentials
import Glibc
import Images
import Platform
import Vision

extension RecordListing {
    /// The listing with the pages of TIFF files as records of their own, with the ids `scan.tif#1`, `scan.tif#2` and so
    /// on. A file with one page, or that cannot be read, stays one record with the path as its id.
    ///
    /// - Parameter everyFrame: Whether this applies to the frames of animations too.
    func withFrames(_ everyFrame: Bool) -> RecordListing {
        var waiting: ArraySlice<ImageRecord> = []
        return RecordListing(tally) { () throws(ApusError) -> ImageRecord? in
            if let record = waiting.popFirst() { return record }
            guard let record = try self.next() else { return nil }
            guard case .file(let path) = record.source, let count = Self.frameCount(path, everyFrame), count > 1 else {
                return record
            }
            waiting =
                (0..<count).map { index in
                    ImageRecord(
                        id: "\(record.id)#\(index + 1)", label: record.label, source: .frame(index, ofFile: path),
                        timestamp: record.timestamp)
                }[...]
            return waiting.popFirst()
        }
    }

    private static let documents: Set = ["tif", "tiff"]
    private static let animations: Set = ["gif", "webp", "png", "apng"]

    /// The number of pages or frames of a regular file whose extension says that it may have several; nil for others.
    private static func frameCount(_ path: String, _ everyFrame: Bool) -> Int? {
        let fileExtension = URL(fileURLWithPath: path).pathExtension.lowercased()
        var status = stat()
        guard documents.contains(fileExtension) || everyFrame && animations.contains(fileExtension),
            stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        if documents.contains(fileExtension) {
            let pages = TIFFPages { offset, count in
                let bytes = try? FileContent.read(path, from: offset, count: count)
                return bytes?.count == count ? bytes.map { Array($0) } : nil
            }
            return pages.directories.count
        }
        guard let content = try? FileContent.read(path, atMost: FileContent.maximumPictureByteCount) else { return nil }
        return try? Image.frameCount(of: content)
    }
}
