import Apus

/// A table of text with aligned columns.
struct TextTable {
    /// The side to which a column's cells are aligned.
    enum Alignment { case left, right }

    /// The maximum width of a column. A cell that is longer moves the rest of its row to the right, and no other row.
    private static let maximumWidth = 120

    private let alignments: [Alignment]
    private var rows: [[String]] = []

    /// Makes a table with a line of headings.
    init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        if columns.contains(where: { !$0.heading.isEmpty }) { rows.append(columns.map(\.heading)) }
    }

    /// Adds a row; missing cells are empty.
    mutating func append(_ cells: [String]) { rows.append(cells.map(\.printable)) }

    /// Adds a line across all columns.
    mutating func appendLine(_ text: String) { rows.append([text.printable]) }

    /// The lines, with two spaces between columns and none at the ends.
    func lines() -> [String] {
        let whole = rows.filter { $0.count == alignments.count }
        let widths = alignments.indices.map { column in
            min(whole.map { $0[column].columnCount }.max() ?? 0, Self.maximumWidth)
        }
        return rows.map { row in
            guard row.count == alignments.count else { return row.joined(separator: "  ") }
            let cells = alignments.indices.map { column in
                alignments[column] == .left
                    ? row[column].padded(to: widths[column]) : row[column].leftPadded(to: widths[column])
            }
            let line = cells.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
    }
}
