import FoundationEssentials
import Platform

/// Pictures that another program lists on standard input while the run predicts them.
///
///     find photos -name '*.jpg' -print0 | apus predict squeezenet1_1.onnx - --stdin nul
///
/// Paths are relative to the working directory and are the ids.
public struct StandardInputDataset: Dataset {
    /// The form in which the records are written.
    public enum Form: String, Sendable, CaseIterable {
        /// A path on each line. With further inputs, a line has columns between tabs, of which the first is the path.
        case lines
        /// A zero byte after each path, so that names may contain line ends.
        case nul
        /// A JSON object on each line, as in a manifest.
        case jsonl
    }

    /// The maximum length of a path or line in bytes.
    private static let maximumLineBytes = 1 << 20

    private let form: Form
    private let columns: ManifestDataset.Columns
    private let fetch: FetchCommand?
    private let makeSource: @Sendable () throws(ApusError) -> ByteSource

    package init(
        form: Form, columns: ManifestDataset.Columns, fetch: FetchCommand?,
        source: @escaping @Sendable () throws(ApusError) -> ByteSource
    ) {
        self.form = form
        self.columns = columns
        self.fetch = fetch
        makeSource = source
    }

    public var canBeListedAhead: Bool { false }

    public func records() throws(ApusError) -> RecordListing {
        let source = try makeSource()
        let columns = columns
        let form = form
        let fetch = fetch
        var reading: (lines: TextLines, objects: JSONRecord.Reader)?
        return RecordListing { () throws(ApusError) -> ImageRecord? in
            // Reading starts with the first request for a record, since it may block.
            if reading == nil { reading = try Self.reading(source, form, columns) }
            guard let (lines, objects) = reading else { return nil }
            if form == .jsonl { return try objects.next()?.record(in: "", fetch) }
            while let line = try lines.next() {
                if line.isEmpty { continue }
                return try Self.record(line, lines, columns, fetch)
            }
            return nil
        }.refusingNothing(in: source.name, ManifestDataset.nothing)
    }

    private static func reading(
        _ source: ByteSource, _ form: Form, _ columns: ManifestDataset.Columns
    ) throws(ApusError) -> (TextLines, JSONRecord.Reader) {
        let stream: ByteStream
        do throws(ByteStream.Damage) { stream = try ByteStream(source) } catch { throw error.error(source.name) }
        let lines = TextLines(
            stream, name: source.name, maximumLineByteCount: maximumLineBytes,
            separator: form == .nul ? 0 : UInt8(ascii: "\n"))
        return (lines, JSONRecord.Reader(lines, columns))
    }

    private static func record(
        _ line: Data, _ lines: TextLines, _ columns: ManifestDataset.Columns, _ fetch: FetchCommand?
    ) throws(ApusError) -> ImageRecord {
        guard let path = String(validating: line, as: UTF8.self) else {
            return ImageRecord(id: FolderWalk.escaped(line), source: .failure(FileDataset.unnamed))
        }
        guard !path.utf8.contains(0) else { throw lines.error(lines.number, "has a zero byte in it") }
        guard !columns.inputs.isEmpty else {
            return JSONRecord(id: path, path: path, label: nil).record(in: "", fetch)
        }
        let cells = path.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        var inputs: [String: String] = [:]
        for (input, column) in columns.inputs {
            guard let position = Int(column), position > 1, position <= cells.count else {
                throw lines.error(
                    lines.number,
                    "has no column \(column.printable); columns of lines are numbered from 1 and separated by tabs")
            }
            inputs[input] = cells[position - 1].isEmpty ? nil : cells[position - 1]
        }
        return JSONRecord(id: JSONRecord.id(of: cells[0], inputs), path: cells[0], label: nil, inputs: inputs)
            .record(in: "", fetch)
    }
}

extension Dataset where Self == StandardInputDataset {
    /// A dataset of the pictures that standard input lists.
    public static func standardInput(
        _ form: StandardInputDataset.Form = .lines,
        columns: ManifestDataset.Columns = ManifestDataset.Columns(), fetch: FetchCommand? = nil
    ) -> StandardInputDataset {
        StandardInputDataset(form: form, columns: columns, fetch: fetch) { .standardInput() }
    }
}
