import FoundationEssentials
import Images
import Platform
import Predicting
import Runs
import Vision

/// The answers of a run as a self-contained HTML page: a sheet of thumbnails that readers filter by class, confidence
/// and name, with the boxes of objects, and the errors.
///
/// The page has up to ``maximumCount`` records; only those in sight are drawn.
public struct PredictionPage: Sendable {
    /// The maximum number of records in a page.
    public static let maximumCount = 100_000

    /// The maximum width and height of thumbnails in pixels.
    package static let thumbnailSide = ThumbnailSheets.side

    private let title: String
    private var entries = ""
    private var labels: [String: Int] = [:]
    private var labelCounts: [Int] = []
    private var errorCounts: [String: Int] = [:]
    private var thumbnails = ThumbnailSheets()
    private var (count, failed, leftOut, withoutItems) = (0, 0, 0, 0)
    /// The number of records that an earlier part of the run predicted; they are not in the page.
    public var earlierCount = 0

    /// Makes a page without records.
    public init(title: String) { self.title = title }

    /// Adds a record.
    public mutating func add(_ record: PredictionRecord<ImageAnswer>) {
        guard count < Self.maximumCount else {
            leftOut += 1
            return
        }
        entries += count == 0 ? "[" : ",\n["
        entries.appendJSON(record.id)
        let tile = record.thumbnail.map { thumbnails.add($0) }
        entries += ",\(tile.map { "[\($0.number),\($0.width),\($0.height)]" } ?? "0")"
        count += 1
        switch record.answer {
        case .failure(let error):
            failed += 1
            errorCounts["\(error.stage): \(error.code)", default: 0] += 1
            entries += ",[],"
            entries.appendJSON(error.message)
        case .success(let answer): entries += ",[\(findings(answer).joined(separator: ","))],0"
        }
        var summary: String?
        if case .success(let answer) = record.answer, !answer.content.type.forms.contains(.items) {
            withoutItems += 1
            summary = answer.summary
        }
        if let warning = record.warning {
            entries += ","
            entries.appendJSON(warning)
        }
        if let summary {
            entries += record.warning == nil ? ",0," : ","
            entries.appendJSON(summary)
        }
        entries += "]"
    }

    /// The maximum numbers of classes and of other things of a record that are shown.
    private static let (maximumClasses, maximumItems) = (3, 8)

    /// What was found, as lists of the name's number, the confidence and the box, both in thousandths.
    private mutating func findings(_ answer: ImageAnswer) -> [String] {
        func thousandths(_ share: Float) -> Int { Int((min(1, max(0, share.isFinite ? share : 0)) * 1000).rounded()) }
        let items = answer.base.shownItems(RowOptions(top: Self.maximumClasses, content: answer.content))
        return items.prefix(Self.maximumItems).map { item in
            var text = "[\(number(of: item.name)),\(thousandths(item.confidence ?? 1))"
            if let box = item.extent {
                for share in [box.x, box.y, box.width, box.height] { text += ",\(thousandths(share))" }
            }
            return text + "]"
        }
    }

    private mutating func number(of label: String) -> Int {
        let number = labels[label] ?? labels.count
        if number == labels.count {
            labels[label] = number
            labelCounts.append(0)
        }
        labelCounts[number] += 1
        return number
    }

    /// Writes the page. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public mutating func write(to path: String) throws(ApusError) {
        thumbnails.finish()
        let parts = html.utf8.split(
            separator: Self.sheetsPlace.utf8, maxSplits: 1, omittingEmptySubsequences: false)
        let sheets = thumbnails.sheets
        try OutputFile.replace(path) { file in
            try file.write(String(Substring(parts[0])))
            for (number, sheet) in sheets.enumerated() {
                try file.write(
                    "<script type=\"text/plain\" id=\"sheet\(number)\">\(sheet.base64EncodedString())</script>\n")
            }
            for part in parts.dropFirst() { try file.write(String(Substring(part))) }
        }
    }

    /// Where the pictures stand in the page. A label or an id cannot contain it, since "<" is escaped.
    private static let sheetsPlace = "<!--sheets-->"

    private var html: String {
        var page = ReportPage(
            kind: .predictions, title: title, subtitle: "\(count) \(count == 1 ? "picture" : "pictures")")
        page.append([outcome, content])
        page.append("Pictures", note: note, html: sheet)
        if failed > 0 { page.append("Errors", html: errorTable) }
        page.append("Classes", html: labelTable)
        return page.html
    }

    private var outcome: Finding {
        Finding(
            question: "How many were predicted?",
            answer: ["\(count - failed) of \(count) pictures.", failed == 0 ? "None failed." : "\(failed) failed."],
            tone: .plain)
    }

    private var content: Finding {
        if labels.isEmpty, withoutItems > 0 {
            return Finding(
                question: "What do they show?", answer: ["The network names nothing; each picture tells its answer."],
                tone: .plain)
        }
        let best = labelCounts.indices.max { labelCounts[$0] < labelCounts[$1] }
        let name = best.flatMap { number in labels.first { $0.value == number }?.key }
        return Finding(
            question: "What do they show?",
            answer: [
                "\(labels.count) different classes.",
                name.map { "Most often \($0): \(labelCounts[best ?? 0]) times." } ?? "Nothing was found.",
            ], tone: .plain)
    }

    private var note: String {
        var note =
            "Choose a class, a minimum confidence or a part of the name. A red frame is an error, a yellow one a warning."
        if leftOut > 0 { note += " \(leftOut) more records are not shown." }
        if earlierCount > 0 { note += " \(earlierCount) records of an earlier part of the run are not shown." }
        return note
    }

    private var sheet: String {
        var names = [String](repeating: "", count: labels.count)
        for (name, number) in labels { names[number] = name }
        var list = ""
        for (number, name) in names.enumerated() {
            if number > 0 { list += "," }
            list.appendJSON(name)
        }
        let data =
            "{\"side\":\(ThumbnailSheets.side),\"columns\":\(ThumbnailSheets.columns),\"labels\":[\(list)],\"rows\":[\n\(entries)\n]}"
        return """
            <style>\(Self.style)</style>
            <form id="filter"><label>Name <input type="search" id="name"></label>
            <label>Class <select id="class"><option value="">all</option></select></label>
            <label>Confidence from <input type="range" id="least" min="0" max="1000" step="10" value="0"><output id="shown">0 %</output></label>
            <label><input type="checkbox" id="errors"> errors and warnings only</label><span id="count"></span></form>
            <div id="sheet" tabindex="0"><div id="content"></div></div>
            <script type="application/json" id="rows">\(data.replacing("<", with: "\\u003c"))</script>
            \(Self.sheetsPlace)<script>\(Self.script)</script>
            """
    }

    private var errorTable: String {
        var table = ReportTable("Errors by stage and code", [.text("error"), .number("pictures")])
        for (error, count) in errorCounts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            table.append([.text(error), .number(Double(count)) { String(Int($0)) }])
        }
        return table.html
    }

    private var labelTable: String {
        var table = ReportTable("The most frequent classes", [.text("class"), .number("times")])
        for (name, number) in labels.sorted(by: {
            (labelCounts[$1.value], $0.value) < (labelCounts[$0.value], $1.value)
        })
        .prefix(1000) {
            table.append([.text(name), .number(Double(labelCounts[number])) { String(Int($0)) }])
        }
        return table.html
    }
}
