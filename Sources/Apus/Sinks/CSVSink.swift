/// Comma-separated values, RFC 4180: a header, then one row per picture.
///
///     id,error,index_1,label_1,confidence_1,index_2,…
///     a.jpg,,967,espresso,0.99938,…
///     b.jpg,decode/truncated: the image is cut off: …,,,
///
/// With objects there is a row for each, its box in parts of the picture from the upper left, and one with empty cells for a
/// picture that has none:
///
///     id,error,time,index,label,confidence,x,y,width,height,track
///     a.jpg,,,0,cat,0.9,0.1,0.2,0.3,0.4,
///
/// Every row has the same number of cells; those without an answer are empty. A text that a spreadsheet would run as a
/// formula, because it begins with `=`, `+`, `-`, `@`, a tab or a line break, gets an apostrophe in front. What could steer
/// a terminal, line breaks and tabs apart, is written as `\x1B`.
public struct CSVSink: Sink {
    private let output: RowFile
    private let options: RowOptions
    private var hasHeader: Bool

    init(_ output: RowFile, _ options: RowOptions) {
        self.output = output
        self.options = options
        hasHeader = output.byteCount > 0
    }

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
        try writeHeader()
        if options.content == .objects { return try writeObjects(record) }
        var cells = [Self.cell(record.id)]
        switch record.result {
        case .success(let answer):
            cells.append("")
            for prediction in options.predictions(answer) {
                cells += [
                    String(prediction.index), Self.cell(prediction.label ?? ""), prediction.confidence.description,
                ]
            }
        case .failure(let error):
            cells.append(Self.cell("\(error.stage)/\(error.code): \(error.message)"))
        }
        let columnCount = 2 + 3 * max(0, options.top)
        cells += [String](repeating: "", count: max(0, columnCount - cells.count))
        try output.write(cells.joined(separator: ",") + "\r\n")
    }

    private func writeObjects(_ record: PredictionRecord) throws(OutputError) {
        let time = record.timestamp?.secondsText ?? ""
        let empty = [String](repeating: "", count: Self.objectColumns.count - 3)
        var rows: [[String]] = []
        switch record.detection {
        case .success(let detection):
            rows = detection.objects.map { object in
                let box = object.box
                return [
                    Self.cell(record.id), "", time, String(object.labels.first?.index ?? 0),
                    Self.cell(object.label ?? ""),
                ]
                    + [object.confidence, box.x, box.y, box.width, box.height].map(\.description)
                    + [object.trackID.map { String($0) } ?? ""]
            }
            if rows.isEmpty { rows = [[Self.cell(record.id), "", time] + empty] }
        case .failure(let error):
            rows = [[Self.cell(record.id), Self.cell("\(error.stage)/\(error.code): \(error.message)"), time] + empty]
        }
        try output.write(rows.map { $0.joined(separator: ",") + "\r\n" }.joined())
    }

    private static let objectColumns = [
        "id", "error", "time", "index", "label", "confidence", "x", "y", "width", "height", "track",
    ]

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        return try output.commit()
    }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try writeHeader()
        return try output.finish()
    }

    private mutating func writeHeader() throws(OutputError) {
        guard !hasHeader else { return }
        hasHeader = true
        let names =
            options.content == .objects
            ? Self.objectColumns
            : ["id", "error"]
                + (0..<max(0, options.top)).flatMap { position in
                    ["index", "label", "confidence"].map { "\($0)_\(position + 1)" }
                }
        try output.write(names.joined(separator: ",") + "\r\n")
    }

    /// A text as a cell, quoted where that is needed.
    static func cell(_ text: String) -> String {
        let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
        let isFormula = text.unicodeScalars.first.map(formulaStarts.contains) ?? false
        let visible = text.withVisibleControls
        let safe = isFormula ? "'" + visible : visible
        let needsQuotes =
            isFormula
            || safe.unicodeScalars.contains { [",", "\"", "\r", "\n"].contains($0) }
            || safe.first == " " || safe.last == " "
        guard needsQuotes else { return safe }
        var quoted = "\""
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

extension Sink where Self == CSVSink {
    /// Comma-separated values, one row per picture.
    public static func csv(to output: OutputFile, _ options: RowOptions = RowOptions()) -> CSVSink {
        CSVSink(RowFile(output), options)
    }
}
