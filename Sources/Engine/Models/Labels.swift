import FoundationEssentials
import Images
import Platform
import Tensors

/// The names of a network's classes.
public struct Labels: Sendable, Equatable {
    package let names: [Int: String]

    /// Makes labels from names in the order of the network's outputs.
    public init(_ names: [String]) {
        self.names = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0, $1) })
    }

    /// The number of classes named.
    public var count: Int { names.count }

    /// A hash of the names.
    package var fingerprint: String {
        var hash = StableHash()
        for (index, name) in names.sorted(by: { $0.key < $1.key }) {
            hash.combine(UInt64(bitPattern: Int64(index)))
            hash.combine(name)
        }
        return hash.text
    }

    /// The name of the class at an index; nil when it has none.
    public subscript(index: Int) -> String? { names[index] }

    /// Reads a file of labels: text with a label on each line, a JSON list, a JSON object from index to label, or a
    /// `config.json` of Hugging Face with `id2label` or of timm with `label_names`.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(contentsOf path: String) throws(ApusError) {
        let data = try FileContent.read(path)
        if let json = JSONValue(data) {
            guard let labels = try Self(json, path: path) else {
                throw .file(path: path, message: "holds neither a list of labels nor an object from index to label")
            }
            self = labels
            return
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw .file(path: path, message: "is neither JSON nor UTF-8 text")
        }
        if let first = text.first(where: { !$0.isWhitespace }), first == "{" {
            throw .file(path: path, message: "is damaged JSON")
        }
        var lines = text.textLines
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else { throw .file(path: path, message: "holds no labels") }
        self.init(lines)
    }

    /// Reads the labels of a `config.json` of Hugging Face or timm; nil when the file has none.
    package init?(configuration data: Data, path: String) throws(ApusError) {
        guard let json = JSONValue(data)?.object else {
            throw .file(path: path, message: "is not a JSON object")
        }
        guard let map = json["id2label"], map != .null else {
            guard let names = Self.timmNames(json) else { return nil }
            self.init(names)
            return
        }
        guard let labels = try Self(map, path: path) else {
            throw .file(path: path, message: "\"id2label\" is not an object from index to label")
        }
        self = labels
    }

    /// The `label_descriptions` of the `label_names` of timm, or these names where they have none. They stand beside
    /// `pretrained_cfg` or in it.
    private static func timmNames(_ json: [String: JSONValue]) -> [String]? {
        let places = [json, json["pretrained_cfg"]?.object ?? [:]]
        guard let names = places.lazy.compactMap({ $0["label_names"]?.strings }).first, !names.isEmpty else {
            return nil
        }
        let descriptions = places.lazy.compactMap { $0["label_descriptions"]?.object }.first
        return names.map { descriptions?[$0]?.string ?? $0 }
    }

    /// Reads a JSON list of labels, or an object from index to label.
    package init(json data: Data, path: String) throws(ApusError) {
        guard let json = JSONValue(data), let labels = try Self(json, path: path) else {
            throw .file(path: path, message: "holds neither a list of labels nor an object from index to label")
        }
        self = labels
    }

    /// The names as JSON: a list when they are those of classes 0 to `count` − 1, otherwise an object from index to
    /// label.
    package var json: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let list = (0..<names.count).compactMap { names[$0] }
        let data =
            list.count == names.count
            ? try? encoder.encode(list)
            : try? encoder.encode(
                Dictionary(uniqueKeysWithValues: names.map { (String($0.key), $0.value) }))
        return data.flatMap { String(data: $0, encoding: .utf8) }
    }

    private init?(_ json: JSONValue, path: String) throws(ApusError) {
        if let list = json.strings {
            self.init(list)
            return
        }
        guard let object = json.object else { return nil }
        if let map = object["id2label"] {
            guard let labels = try Self(map, path: path) else { return nil }
            self = labels
            return
        }
        if let names = Self.timmNames(object) {
            self.init(names)
            return
        }
        var names: [Int: String] = [:]
        for (key, value) in object {
            guard let index = Int(key), index >= 0, let name = value.string else { return nil }
            names[index] = name
        }
        guard !names.isEmpty else { return nil }
        self.init(byIndex: names)
    }

    package init(byIndex names: [Int: String]) { self.names = names }

    /// Refuses names for another number of classes than a network has. Names by index may leave out classes.
    ///
    /// - Parameter origin: Where the names come from, for people; nil for those that the caller gives.
    /// - Throws: ``ApusError/usage(_:)``.
    package func check(classCount count: Int, model: String, origin: String?) throws(ApusError) {
        let last = names.keys.max() ?? -1
        guard last >= count || last == names.count - 1 && names.count != count else { return }
        let labels = names.count == 1 ? "is 1 label" : "are \(names.count) labels"
        let classes = count == 1 ? "1 class" : "\(count) classes"
        let source = origin.map { " \($0)" } ?? ""
        let way = origin == nil ? "" : "; --labels takes a file with the names of all classes"
        throw .usage("\(model): there \(labels)\(source) for \(classes)\(way)")
    }
}
