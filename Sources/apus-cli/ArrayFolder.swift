import Apus
import Foundation

/// A folder that arrays are written to, each as a file of its own.
struct ArrayFolder {
    /// An array that was written.
    struct Entry: Encodable {
        let name: String
        let elementType: String
        let shape: [Int]
        let file: String
    }

    private let path: String

    /// Makes the folder if it is not there.
    init(_ path: String) throws(ApusError) {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .file(path: path, message: "the folder cannot be made")
        }
    }

    /// Writes arrays under names made from theirs.
    func write(_ arrays: [(name: String, tensor: Tensor)]) throws(ApusError) -> [Entry] {
        var taken: Set<String> = []
        var entries: [Entry] = []
        for (name, tensor) in arrays {
            let stem = Self.fileStem(name)
            var unique = stem
            var number = 2
            while !taken.insert(unique.lowercased()).inserted {
                unique = "\(stem)-\(number)"
                number += 1
            }
            let file = URL(fileURLWithPath: path).appendingPathComponent("\(unique).npy").relativePath
            try tensor.write(toNumPyFile: file)
            entries.append(
                Entry(name: name, elementType: tensor.elementType.rawValue, shape: tensor.shape, file: file))
        }
        return entries
    }

    /// A name that is safe in a file system.
    static func fileStem(_ name: String) -> String {
        let allowed = name.unicodeScalars.prefix(200).map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || "._-".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        let stem = String(allowed)
        return stem.isEmpty || stem.hasPrefix(".") ? "_" + stem : stem
    }
}
