import Datasets
import Platform

/// The true texts of pictures, read from a CSV, TSV or JSON Lines file with a column of files and one of texts.
///
///     file,text
///     page.png,"Some text"
///
/// The file is a ``ManifestDataset`` whose labels are called `text`. A picture without text has an empty cell.
public struct TextTruth: Sendable {
    private var texts: [String: String] = [:]
    /// The last parts of names, and the names that have them.
    private var names: [Substring: [String]] = [:]

    /// Reads the texts.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming the file and the line.
    public init(contentsOf path: String) throws(ApusError) {
        let listing = try ManifestDataset(path: path, form: nil, columns: .init(label: "text"), fetch: nil).records()
        while let record = try listing.next() {
            guard texts.updateValue(record.label ?? "", forKey: record.id) == nil else {
                throw .file(path: path, message: "has two texts of \"\(record.id.printable)\"")
            }
            names[Self.lastComponent(record.id), default: []].append(record.id)
        }
        guard !texts.isEmpty else { throw .file(path: path, message: "has no texts") }
    }

    /// Whether a file's name is that of a list of texts.
    package static func isList(_ path: String) -> Bool { ManifestDataset.Form(fileName: path) != nil }

    /// The text of a record: that of its id, of the id without its first folders, or of the only file that is called
    /// like it; nil when there is none.
    package func text(of id: String) -> String? {
        var name = id[...]
        while true {
            if let text = texts[String(name)] { return text }
            guard let slash = name.firstIndex(of: "/") else { break }
            name = name[name.index(after: slash)...]
        }
        let files = names[Self.lastComponent(id)] ?? []
        return files.count == 1 ? texts[files[0]] : nil
    }

    private static func lastComponent(_ name: String) -> Substring { name.split(separator: "/").last ?? "" }
}
