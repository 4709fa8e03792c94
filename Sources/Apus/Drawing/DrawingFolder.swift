import Foundation
import Images

/// A folder where pictures go with their objects drawn on them, as JPEG files named after their ids.
public struct DrawingFolder: Sendable {
    /// The folder's path.
    public let path: String

    /// Makes the folder, where it is missing.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String) throws(ApusError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .file(path: path, message: "cannot be made a folder")
        }
        self.path = path
    }

    /// Draws the records that have a picture and objects.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    func draw(_ records: [PredictionRecord]) throws(ApusError) {
        for record in records {
            guard let image = record.image, case .success(.objects(let detection)) = record.answer else { continue }
            let target = URL(fileURLWithPath: path).appendingPathComponent(Self.fileName(of: record.id))
            do {
                try FileManager.default.createDirectory(
                    at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
                try image.drawing(detection.objects).jpegData(quality: 90).write(to: target)
            } catch {
                throw .file(path: target.path, message: "the drawing could not be written")
            }
        }
    }

    /// The longest name that file systems take, with room for the extension.
    private static let mostBytes = 240

    /// Where a record's picture goes within the folder: its id without what would lead out of it, and `.jpg` behind it unless it is
    /// there.
    package static func fileName(of id: String) -> String {
        let parts = id.split(separator: "/").filter { $0 != "." && $0 != ".." }.map { part in
            var name = String(String.UnicodeScalarView(part.unicodeScalars.map { $0.value < 32 ? "_" : $0 }))
            while name.utf8.count > mostBytes { name.removeFirst() }
            return name
        }
        let name = parts.isEmpty ? "picture" : parts.joined(separator: "/")
        let isJPEG = [".jpg", ".jpeg"].contains { name.lowercased().hasSuffix($0) }
        return isJPEG ? name : name + ".jpg"
    }
}
