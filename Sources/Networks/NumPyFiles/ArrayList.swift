import FoundationEssentials
import Platform
import Glibc

/// The list of the arrays that `apus run` wrote into a folder: `arrays.json`. A later run recognises the arrays by it.
///
///     {"arrays":[{"elementType":"float32","file":"prob.npy","name":"prob","shape":[1,1000]}],"generator":"apus run"}
package struct ArrayList: Codable, Sendable {
    /// An array and its file.
    package struct Entry: Codable, Sendable {
        package let name: String
        package let elementType: String
        package let shape: [Int]
        /// The file's name in the folder.
        package let file: String

        package init(name: String, elementType: String, shape: [Int], file: String) {
            (self.name, self.elementType, self.shape, self.file) = (name, elementType, shape, file)
        }
    }

    /// The name of the list's file.
    package static let fileName = "arrays.json"

    private var generator = "apus run"
    private var arrays: [Entry]

    /// Whether a file is its folder's list, or is named in that list.
    static func covers(_ path: String) -> Bool {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let (folder, name) = (path[..<start], path[start...])
        guard let arrays = arrays(in: folder + fileName) else { return false }
        return name == fileName || arrays.contains { $0.file == name }
    }

    /// The arrays of a list; nil where there is no list.
    private static func arrays(in path: String) -> [Entry]? {
        guard access(path, F_OK) == 0, let data = try? FileContent.read(path),
            let list = try? JSONDecoder().decode(ArrayList.self, from: data), list.generator == "apus run"
        else { return nil }
        return list.arrays
    }

    /// Writes the list of a folder, and keeps earlier entries whose files still exist.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    package static func write(_ entries: [Entry], into folder: String) throws(ApusError) {
        let path = folder + "/" + fileName
        let names = Set(entries.map(\.file))
        let earlier = (arrays(in: path) ?? []).filter {
            !names.contains($0.file) && !$0.file.contains("/") && access(folder + "/" + $0.file, F_OK) == 0
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        try OutputFile.replace(path) { file in
            let text = String(decoding: try encoder.encode(ArrayList(arrays: entries + earlier)), as: UTF8.self)
            try file.write(text + "\n")
        }
    }
}

extension OutputKind {
    /// An array in the folder of `apus run`.
    package static let array = OutputKind(command: "run", mark: .sideFile { ArrayList.covers($0) })

    /// The list of the arrays in that folder.
    package static let arrayList = array
}
