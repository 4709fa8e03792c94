import Platform
import Predicting
import Vision

/// Writes aligned columns for people: the picture, then its classes with the highest confidence, one per line.
///
///     photos/coffee.png   espresso                   99.94 %
///                         cup                         0.03 %
///     photos/broken.jpg   error: the picture is cut off: …
///
/// Objects have their box in pixels: left, top, width × height. Segments have their share of the picture. Outputs have
/// their shape and the range of their numbers.
///
/// Columns widen as answers arrive. Colors are used on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
public struct TableSink: Sink {
    private let output: RowFile
    private let options: RowOptions
    private let usesColors: Bool
    private var idWidth: Int
    private var labelWidth: Int

    /// The maximum width of the id column; longer ids overflow it.
    private static let maximumIDWidth = 48
    private static let maximumLabelWidth = 40

    package init(_ output: RowFile, _ options: RowOptions, checkpoint: SinkCheckpoint? = nil, idWidth: Int = 0) {
        self.output = output
        self.options = options
        usesColors = output.isTerminal && TextStyle.isWanted
        self.idWidth = min(Self.maximumIDWidth, max(0, checkpoint?.state["idWidth"] ?? idWidth))
        labelWidth = min(Self.maximumLabelWidth, max(0, checkpoint?.state["labelWidth"] ?? 32))
    }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        let id = record.id.printable
        idWidth = min(Self.maximumIDWidth, max(idWidth, id.columnCount))
        var lines: [TableLine] = []
        switch record.answer {
        case .success(let answer): lines = answer.base.tableLines(RowContext(record, options))
        case .failure(let error): lines = [TableLine(text: "error: \(error.message.printable)", style: .red)]
        }
        let labelWidths = lines.map { $0.label?.columnCount ?? 0 }
        labelWidth = min(Self.maximumLabelWidth, max(labelWidth, labelWidths.max() ?? 0))
        var text = ""
        for (position, line) in lines.enumerated() {
            text += (position == 0 ? id : "").padded(to: idWidth) + "  " + self.text(of: line) + "\n"
        }
        try output.write(text)
    }

    private func text(of line: TableLine) -> String {
        let text = (line.label.map { $0.padded(to: labelWidth) + "  " } ?? "") + line.text
        return (usesColors ? line.style.applied(to: text) : text) + line.rest
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try output.commit(state: state)
    }

    private var state: [String: Int] { ["idWidth": idWidth, "labelWidth": labelWidth] }

    public var rowByteCount: Int? { output.byteCount }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint { try output.finish(state: state) }
}

extension Sink where Self == TableSink {
    /// A sink of aligned columns for people.
    ///
    /// - Parameter idWidth: The width of the longest id in terminal columns, if known, so that columns have their final
    ///   width from the first line on.
    public static func table(
        to output: OutputFile, _ options: RowOptions = RowOptions(), idWidth: Int = 0
    ) -> TableSink {
        TableSink(RowFile(output), options, idWidth: idWidth)
    }
}
