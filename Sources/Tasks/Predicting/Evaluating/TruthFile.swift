import Glibc
import Images
import Platform
import Tensors

/// A file with what is true of every pixel of a picture.
package struct TruthFile: Sendable {
    private let path: String

    /// The file of a picture: `truth/street.png` or `truth/street.jpg.png` for `photos/street.jpg`, also in subfolders
    /// of the same names; nil when there is none.
    ///
    /// - Parameter fileExtensions: Those of files that are looked for, the first before others.
    package init?(of id: String, in folder: String, fileExtensions: [String]) {
        var parts = id.pathParts().filter { $0 != "." && $0 != ".." }[...]
        while let last = parts.last {
            let start = ([folder[...]] + parts.dropLast()).joined(separator: "/") + "/"
            let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
            for fileExtension in fileExtensions {
                for name in [stem + fileExtension, last + fileExtension] where access(start + name, F_OK) == 0 {
                    path = start + name
                    return
                }
            }
            parts = parts.dropFirst()
        }
        return nil
    }

    /// The numbers of the pixels of a PNG file of grey or of a palette.
    ///
    /// - Throws: ``ApusError/file(path:message:)``, also when the file has another size than its picture.
    package func numbers(of size: ImageSize) throws(ApusError) -> [UInt16] {
        let mask: LabelMask
        do {
            mask = try LabelMask(pngData: try FileContent.read(path, atMost: FileContent.maximumPictureByteCount))
        } catch let error as ApusError {
            throw error
        } catch {
            throw .file(path: path, message: "is no mask: \(error)")
        }
        try check(mask.size, isThatOf: size)
        return mask.numbers
    }

    /// The depths of the pixels: the numbers of a PNG file ÷ `unit`, or those of an array.
    ///
    /// - Parameter unit: How many of the file's numbers make one unit of depth.
    /// - Throws: ``ApusError/file(path:message:)``, also when the file has another size than its picture.
    package func depths(of size: ImageSize, unit: Double) throws(ApusError) -> [Float] {
        guard path.hasSuffix(".npy") else { return try numbers(of: size).map { Float(Double($0) / unit) } }
        let array = try Tensor(contentsOfNumPyFile: path)
        let extents = Array(array.shape.suffix(2))
        guard extents.count == 2, array.shape.dropLast(2).allSatisfy({ $0 == 1 }) else {
            throw .file(path: path, message: "is an array of shape \(array.shape), not one map [height, width]")
        }
        try check(ImageSize(width: extents[1], height: extents[0]), isThatOf: size)
        return array.elements(as: Double.self).map { Float($0 / unit) }
    }

    private func check(_ found: ImageSize, isThatOf size: ImageSize) throws(ApusError) {
        guard found == size else {
            throw .file(
                path: path,
                message: "has \(found.width)x\(found.height) pixels, but its picture \(size.width)x\(size.height)")
        }
    }
}
