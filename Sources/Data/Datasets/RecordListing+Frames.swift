import FoundationEssentials
import Glibc
import Images
import Platform

extension RecordListing {
    /// The listing with the pages of TIFF files as records of their own, with the ids `scan.tif#1`, `scan.tif#2` and so
    /// on. A file with one page, or that cannot be read, stays one record with the path as its id.
    ///
    /// - Parameter frameCount: The number of pages or frames of a record's file; nil for a file that has no more than
    ///   one.
    func withFrames(
        _ frameCount: @escaping @Sendable (ImageRecord) throws(ApusError) -> Int?
    ) -> RecordListing {
        var waiting: (file: ImageRecord, path: String, numbers: Range<Int>)?
        return RecordListing(tally) { () throws(ApusError) -> ImageRecord? in
            if let (file, path, numbers) = waiting, let number = numbers.first {
                waiting = (file, path, numbers.dropFirst())
                return ImageRecord(
                    id: "\(file.id)#\(number)", label: file.label, source: .frame(number - 1, ofFile: path),
                    timestamp: file.timestamp)
            }
            guard let record = try self.next() else { return nil }
            guard let count = try frameCount(record), count > 1, case .file(let path) = record.source else {
                return record
            }
            waiting = (record, path, 2..<count + 1)
            return ImageRecord(
                id: "\(record.id)#1", label: record.label, source: .frame(0, ofFile: path),
                timestamp: record.timestamp)
        }
    }

    private static let documents: Set = ["tif", "tiff"]
    private static let animations: Set = ["gif", "webp", "png", "apng"]

    /// Whether the extension of a file says that it may have several pages, or frames that are wanted.
    static func mayHaveFrames(_ path: String, _ everyFrame: Bool) -> Bool {
        let fileExtension = URL(fileURLWithPath: path).pathExtension.lowercased()
        return documents.contains(fileExtension) || everyFrame && animations.contains(fileExtension)
    }

    /// The number of pages or frames of a regular file whose extension says that it may have several; nil for others.
    static func frameCount(_ path: String, _ everyFrame: Bool) -> Int? {
        var status = stat()
        guard mayHaveFrames(path, everyFrame), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        if documents.contains(URL(fileURLWithPath: path).pathExtension.lowercased()) {
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
