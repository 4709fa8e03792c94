/// A table of a page. Readers can sort it by its columns and copy it.
struct ReportTable {
    /// A column.
    struct Column {
        let heading: String
        let isNumeric: Bool
        /// The meaning of the column, shown as a tooltip at its heading.
        var explanation: String?

        static func text(_ heading: String, _ explanation: String? = nil) -> Column {
            Column(heading: heading, isNumeric: false, explanation: explanation)
        }

        static func number(_ heading: String, _ explanation: String? = nil) -> Column {
            Column(heading: heading, isNumeric: true, explanation: explanation)
        }
    }

    /// A cell.
    struct Cell {
        var text: String
        /// The number by which the cell is sorted; nil to sort by its text.
        var order: Double?
        /// The share of the cell's width that is shaded, from 0 to 1.
        var bar: Double?
        /// The CSS classes of the page's style.
        var style = ""
        var tip: String?

        static func text(_ text: String, style: String = "", tip: String? = nil) -> Cell {
            Cell(text: text, style: style, tip: tip)
        }

        /// A cell with a number; a missing number is sorted last.
        static func number(_ value: Double?, _ format: (Double) -> String, bar: Double? = nil) -> Cell {
            Cell(text: value.map(format) ?? "–", order: value ?? -.infinity, bar: bar)
        }
    }

    private let columns: [Column]
    private let caption: String
    private var rows: [[Cell]] = []

    /// - Parameter caption: The caption, which screen readers read aloud.
    init(_ caption: String, _ columns: [Column]) {
        self.caption = caption
        self.columns = columns
    }

    /// Adds a row with a cell for every column.
    mutating func append(_ cells: [Cell]) { rows.append(cells) }

    /// The HTML element.
    var html: String {
        let headings = columns.map { column in
            let tip = column.explanation?.tipAttribute ?? ""
            return "<th scope=\"col\"\(column.isNumeric ? " class=\"n\"" : "")\(tip)>"
                + "<button type=\"button\">\(column.heading.escapedHTML)</button></th>"
        }
        let body = rows.map { row in
            "<tr>" + zip(row, columns).map { Self.html($0, isNumeric: $1.isNumeric) }.joined() + "</tr>"
        }
        return """
            <div class="table"><button type="button" class="copy">Copy</button>
            <table class="sortable"><caption>\(caption.escapedHTML)</caption>
            <thead><tr>\(headings.joined())</tr></thead>
            <tbody>
            \(body.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    private static func html(_ cell: Cell, isNumeric: Bool) -> String {
        let classes = [isNumeric ? "n" : "", cell.style].filter { !$0.isEmpty }.joined(separator: " ")
        var attributes = classes.isEmpty ? "" : " class=\"\(classes)\""
        if let order = cell.order {
            attributes += " data-order=\"\(order.isNaN ? -1e308 : min(1e308, max(-1e308, order)))\""
        }
        if let tip = cell.tip { attributes += tip.tipAttribute }
        if let bar = cell.bar {
            attributes += " style=\"--bar:\(SVG.number(100 * min(1, max(0, bar))))%\""
        }
        return "<td\(attributes)>\(cell.text.escapedHTML)</td>"
    }
}
