import Platform
import Tensors

/// A list of pictures in a file: CSV or TSV with a row of column names, or JSON Lines with an object on each line.
///
///     id,path,label
///     a,photos/coffee.png,espresso
///
/// Paths are relative to the list's folder. Without an id column the id is the path as written, with those of further
/// inputs behind it, as in `a.png+b.png`. A damaged line ends the listing with an error that names the file and the
/// line; a missing picture is an error record.
public struct ManifestDataset: Dataset {
    /// The names of a manifest's columns.
    public struct Columns: Sendable {
        /// The column of the ids; nil for `id`, if there is one.
        public var id: String?
        /// The column of the paths; nil for the first of `path`, `file`, `filename`, `file_name` and `image`.
        public var path: String?
        /// The column of the labels; nil for the first of `label`, `class` and `target`, if there is one.
        public var label: String?
        /// The columns of further inputs of the network, by the names of the inputs: each record has another picture,
        /// an `.npy` file or numbers. See ``InputValue/ofRecord``.
        public var inputs: [String: String]

        /// Makes column names.
        public init(
            id: String? = nil, path: String? = nil, label: String? = nil, inputs: [String: String] = [:]
        ) {
            self.id = id
            self.path = path
            self.label = label
            self.inputs = inputs
        }

        package static let paths = ["path", "file", "filename", "file_name", "image"]
        package static let labels = ["label", "class", "target"]

        /// The name in `names` of the column to read: `given`, or the first of `known` that is present. An exact match
        /// comes first; otherwise letter case is ignored.
        package func choose(_ given: String?, or known: [String], in names: [String]) -> String? {
            func find(_ wanted: String) -> String? {
                names.first { $0 == wanted } ?? names.sorted().first { $0.lowercased() == wanted.lowercased() }
            }
            if let given { return find(given) ?? given }
            return known.lazy.compactMap(find).first
        }
    }

    /// The file formats of manifests.
    public enum Form: String, Sendable, CaseIterable {
        case csv, tsv, jsonl

        /// The form that a file name's extension gives, ignoring a final `.gz`.
        package init?(fileName: String) {
            var name = fileName.lowercased()
            if name.hasSuffix(".gz") { name.removeLast(3) }
            let forms: [(String, Form)] = [(".csv", .csv), (".tsv", .tsv), (".jsonl", .jsonl), (".ndjson", .jsonl)]
            guard let form = forms.first(where: { name.hasSuffix($0.0) })?.1 else { return nil }
            self = form
        }
    }

    private let path: String
    private let form: Form
    private let columns: Columns
    private let fetch: FetchCommand?

    package init(path: String, form: Form?, columns: Columns, fetch: FetchCommand?) {
        self.fetch = fetch
        self.path = path
        self.form = form ?? Form(fileName: path) ?? .csv
        self.columns = columns
    }

    public var containers: [String] { [path] }

    public var canBeListedAhead: Bool { !FileStart.isPipe(path) }

    public func records() throws(ApusError) -> RecordListing {
        let source = try ByteSource(path: path)
        let stream: ByteStream
        do throws(ByteStream.Damage) { stream = try ByteStream(source) } catch { throw error.error(path) }
        let folder = path.pathOfFolder
        if form == .jsonl {
            let reader = JSONRecord.Reader(TextLines(stream, name: path, maximumLineByteCount: 1 << 20), columns)
            return RecordListing { [fetch] () throws(ApusError) -> ImageRecord? in
                try reader.next()?.record(in: folder, fetch)
            }.refusingNothing(in: path, Self.nothing)
        }
        let rows = DelimitedRows(stream, name: path, separator: form == .csv ? "," : "\t")
        guard let header = try rows.next() else { throw .file(path: path, message: "is empty") }
        let positions = try positions(header, rows)
        return RecordListing { [fetch] () throws(ApusError) -> ImageRecord? in
            guard let row = try rows.next() else { return nil }
            guard row.cells.count == header.cells.count else {
                let count = row.cells.count
                throw rows.error(row, "has \(count) \(count == 1 ? "cell" : "cells"), not \(header.cells.count)")
            }
            let file = row.cells[positions.path]
            guard !file.isEmpty else { throw rows.error(row, "has no path") }
            let inputs = positions.inputs.mapValues { row.cells[$0] }.filter { !$0.value.isEmpty }
            let id = positions.id.map { row.cells[$0] } ?? JSONRecord.id(of: file, inputs)
            guard !id.isEmpty else { throw rows.error(row, "has no id") }
            let label = positions.label.map { row.cells[$0] }
            return JSONRecord(
                id: id, path: file, label: label?.isEmpty == false ? label : nil, inputs: inputs
            ).record(in: folder, fetch)
        }.refusingNothing(in: path, Self.nothing)
    }

    /// The error of a list without records.
    static let nothing = "lists no pictures"

    private func positions(
        _ header: DelimitedRows.Row, _ rows: DelimitedRows
    ) throws(ApusError) -> (id: Int?, path: Int, label: Int?, inputs: [String: Int]) {
        let names = header.cells
        if let twice = names.indices.first(where: { names[..<$0].contains(names[$0]) }) {
            throw rows.error(header, "there are two columns named \"\(names[twice].printable)\"")
        }
        func position(_ name: String?) throws(ApusError) -> Int? {
            guard let name else { return nil }
            if let position = names.firstIndex(of: name) { return position }
            let there = names.joined(separator: ", ").printable
            throw rows.error(header, "there is no column \"\(name.printable)\"; there are \(there)")
        }
        let path = try position(columns.choose(columns.path, or: Columns.paths, in: names))
        guard let path else {
            throw rows.error(
                header, "there is no column of paths: none is called \(Columns.paths.joined(separator: ", "))")
        }
        var inputs: [String: Int] = [:]
        for (input, name) in columns.inputs.sorted(by: { $0.key < $1.key }) {
            inputs[input] = try position(columns.choose(name, or: [], in: names))
        }
        return (
            try position(columns.choose(columns.id, or: ["id"], in: names)), path,
            try position(columns.choose(columns.label, or: Columns.labels, in: names)), inputs
        )
    }
}

extension Dataset where Self == ManifestDataset {
    /// The pictures that a CSV, TSV or JSON Lines file lists.
    ///
    /// - Parameters:
    ///   - form: The file format; nil to take it from the file's name.
    ///   - fetch: What fetches pictures whose name begins with `s3://`, `gs://`, `http://` or `https://`.
    public static func manifest(
        _ path: String, form: ManifestDataset.Form? = nil,
        columns: ManifestDataset.Columns = ManifestDataset.Columns(), fetch: FetchCommand? = nil
    ) -> ManifestDataset { ManifestDataset(path: path, form: form, columns: columns, fetch: fetch) }
}
