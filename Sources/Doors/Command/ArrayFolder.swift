import Apus
import FoundationEssentials

/// A folder of arrays, each in its own file, with a file that lists them.
struct ArrayFolder {
    /// An array that was written.
    struct Entry: Encodable {
        let name: String
        let elementType: String
        let shape: [Int]
        let file: String
    }

    private let path: String
    /// The file name of each array, by the array's name.
    private let files: [String: String]

    /// Makes the folder if it is missing, and claims the files for arrays with these names.
    init(_ path: String, for names: [String], _ claims: inout OutputClaims) throws(ApusError) {
        self.path = path
        try OutputFolder.make(path)
        var taken: Set<String> = []
        var files: [String: String] = [:]
        for name in names where files[name] == nil {
            let stem = Self.fileStem(name)
            var unique = stem
            var number = 2
            while !taken.insert(unique.lowercased()).inserted {
                unique = "\(stem)-\(number)"
                number += 1
            }
            files[name] = "\(unique).npy"
            try claims.add(Self.file("\(unique).npy", in: path), as: .array, option: "--output", isNamed: false)
        }
        try claims.add(Self.file(ArrayList.fileName, in: path), as: .arrayList, option: "--output", isNamed: false)
        self.files = files
    }

    /// Writes arrays whose names were passed to the initializer.
    func write(_ arrays: [(name: String, tensor: Tensor)]) throws(ApusError) -> [Entry] {
        var entries: [Entry] = []
        for (name, tensor) in arrays {
            guard let fileName = files[name] else { throw .bug("the array \(name) has no file") }
            let file = Self.file(fileName, in: path)
            try tensor.write(toNumPyFile: file)
            entries.append(
                Entry(name: name, elementType: tensor.elementType.rawValue, shape: tensor.shape, file: file))
        }
        let list = zip(arrays, entries).map { array, entry in
            ArrayList.Entry(
                name: entry.name, elementType: entry.elementType, shape: entry.shape, file: files[array.name] ?? "")
        }
        try ArrayList.write(list, into: path)
        return entries
    }

    private static func file(_ name: String, in path: String) -> String {
        URL(fileURLWithPath: path).appendingPathComponent(name).relativePath
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
