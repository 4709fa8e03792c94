import FoundationEssentials
import Images
import Models
import Platform
import Preparation
import Tensors

/// A record as a line of JSON describes it.
struct JSONRecord {
    let id: String
    let path: String
    let label: String?
    /// The texts of other inputs: paths or numbers.
    var inputs: [String: String] = [:]

    /// The id of a record that has none: its path, and those of other inputs in the order of their names.
    static func id(of path: String, _ inputs: [String: String]) -> String {
        ([path] + inputs.sorted { $0.key < $1.key }.map(\.value)).joined(separator: "+")
    }

    /// The record, with a path relative to `folder`, which is empty or ends in `/`.
    ///
    /// - Parameter fetch: What fetches names that are no paths.
    func record(in folder: String, _ fetch: FetchCommand?) -> ImageRecord {
        var record = ImageRecord(id: id, label: label, source: Self.source(path, in: folder, fetch))
        record.inputs = inputs.mapValues { text in
            guard let numbers = InputValue.numbers(in: text) else { return Self.source(text, in: folder, fetch) }
            return .deferred { .array(try Tensor(numbers, shape: numbers.count == 1 ? [] : [numbers.count])) }
        }
        return record
    }

    private static func source(_ path: String, in folder: String, _ fetch: FetchCommand?) -> ImageSource {
        if FetchCommand.isRemote(path) { return FetchCommand.source(of: path, fetch) }
        return .file(path.isAbsolutePath ? path : folder + path)
    }

    /// The label in an object, under the first of the keys `label`, `cls` and `class` that is present.
    static func label(_ object: [String: JSONValue]) -> String? {
        ["label", "cls", "class"].lazy.compactMap { text(object[$0]) }.first
    }

    /// A string, or a whole number as a string; nil for any other value.
    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : text
        default: value?.integer.map(String.init)
        }
    }

    /// Reads records from JSON Lines: `{"id":"a","path":"photos/coffee.png","label":"espresso"}`.
    struct Reader {
        private let lines: TextLines
        private let columns: ManifestDataset.Columns

        init(_ lines: TextLines, _ columns: ManifestDataset.Columns) {
            self.lines = lines
            self.columns = columns
        }

        /// The next record; nil at the end. Empty lines are passed over.
        func next() throws(ApusError) -> JSONRecord? {
            while let line = try lines.next() {
                if !line.allSatisfy({ [0x20, 0x09].contains($0) }) { return try record(line) }
            }
            return nil
        }

        /// The record of a line.
        func record(_ line: Data) throws(ApusError) -> JSONRecord {
            let number = lines.number
            let text = try lines.text(line, number)
            guard let object = JSONValue(Data(text.utf8))?.object else {
                throw lines.error(number, "is not a JSON object")
            }
            let names = Array(object.keys)
            let known = ManifestDataset.Columns.self
            guard let key = columns.choose(columns.path, or: known.paths, in: names) else {
                throw lines.error(number, "has no path under \(known.paths.joined(separator: ", "))")
            }
            guard let path = JSONRecord.text(object[key]), !path.utf8.contains(0) else {
                throw lines.error(number, "\"\(key.printable)\" is not a path")
            }
            let inputs = try inputs(of: object, number)
            var id = JSONRecord.id(of: path, inputs)
            if let key = columns.choose(columns.id, or: ["id"], in: names) {
                guard let given = JSONRecord.text(object[key]) else {
                    throw lines.error(number, "\"\(key.printable)\" is neither a text nor a whole number")
                }
                id = given
            }
            let labelKey = columns.choose(columns.label, or: known.labels, in: names)
            let label = labelKey.flatMap { object[$0] }
            if let label, label != .null, JSONRecord.text(label) == nil {
                throw lines.error(number, "the label is neither a text nor a whole number")
            }
            return JSONRecord(id: id, path: path, label: JSONRecord.text(label), inputs: inputs)
        }

        /// The texts of other inputs in an object.
        private func inputs(of object: [String: JSONValue], _ number: Int) throws(ApusError) -> [String: String] {
            var inputs: [String: String] = [:]
            for (input, column) in columns.inputs.sorted(by: { $0.key < $1.key }) {
                guard let value = object[column], value != .null else { continue }
                let numbers = (value.array ?? [value]).map(\.number)
                if let text = value.string, !text.isEmpty, !text.utf8.contains(0) {
                    inputs[input] = text
                } else if !numbers.isEmpty, numbers.allSatisfy({ $0 != nil }) {
                    inputs[input] = numbers.map { "\($0 ?? 0)" }.joined(separator: ",")
                } else {
                    throw lines.error(number, "\"\(column.printable)\" is neither a path nor numbers")
                }
            }
            return inputs
        }
    }
}
