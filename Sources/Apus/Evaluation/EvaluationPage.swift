import Foundation

/// An evaluation as one HTML page that needs nothing else: figures, a picture of the confusions, the calibration, and
/// the worst mistakes.
///
///     try EvaluationPage(evaluation, title: "squeezenet1_1.onnx on photos").write(to: "report.html")
public struct EvaluationPage: Sendable {
    private let evaluation: Evaluation
    private let title: String

    /// More classes than these are in the table, not in the picture.
    private static let largestPicture = 30

    /// Makes a page.
    public init(_ evaluation: Evaluation, title: String) {
        self.evaluation = evaluation
        self.title = title
    }

    /// Writes the page; it appears under its name once it is whole.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) {
        try OutputFile.replace(path) { try $0.write(html) }
    }

    /// The text of the page.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>\(title.escapedHTML)</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>\(title.escapedHTML)</h1>
        \(figures)
        \(confusionPicture)
        \(calibrationPicture)
        \(mistakes)
        \(classTable)
        </body>
        </html>

        """
    }

    private static let style = """
        :root{color-scheme:light dark;font:15px/1.4 system-ui,sans-serif}\
        body{max-width:70rem;margin:2rem auto;padding:0 1rem}\
        table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left}\
        td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\
        svg text{fill:currentColor;font-size:11px}svg{max-width:100%;height:auto}\
        .wrong{fill:#d33}.right{fill:#2a7}.line{stroke:currentColor;stroke-opacity:.3;fill:none}\
        .mistakes{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:1rem}\
        figure{margin:0}img{max-width:100%;height:10rem;object-fit:contain}\
        figcaption{overflow-wrap:anywhere;font-size:13px}
        """

    private var figures: String {
        let rows = [
            ("Pictures", String(evaluation.pictureCount)), ("Top-1", Self.percentage(evaluation.top1)),
            ("Top-5", Self.percentage(evaluation.top5)), ("Mean precision", Self.percentage(evaluation.meanPrecision)),
            ("Mean recall", Self.percentage(evaluation.meanRecall)),
            ("Expected calibration error", Self.percentage(evaluation.calibration.expectedError)),
            ("Without an answer", String(evaluation.failedCount)),
            ("Without a label", String(evaluation.unlabelledCount)),
            ("With a label that is no class", String(evaluation.unknownLabelCount)),
        ]
        return "<table>" + rows.map { "<tr><th>\($0.0)</th><td class=\"n\">\($0.1)</td></tr>" }.joined() + "</table>"
    }

    /// Rows are the classes of the pictures, columns those that they were taken for; a cell is as opaque as its share of
    /// the row is large.
    private var confusionPicture: String {
        let shown = confusedClasses
        guard !shown.isEmpty else { return "<h2>Confusions</h2><p>None.</p>" }
        let (cell, margin, top) = (18, 190, 150)
        let side = shown.count * cell
        var shapes = ""
        for (position, result) in shown.enumerated() {
            let name = Self.name(result.index, result.name)
            let label = Self.shortened(name).escapedHTML
            let middle = position * cell + cell / 2
            shapes += "<text x=\"\(margin - 6)\" y=\"\(top + middle + 4)\" text-anchor=\"end\">\(label)</text>"
            let place = "\(margin + middle + 4) \(top - 6)"
            shapes += "<text transform=\"translate(\(place)) rotate(-60)\">\(label)</text>"
        }
        let positions = Dictionary(uniqueKeysWithValues: shown.enumerated().map { ($1.index, $0) })
        let correct = shown.map { ($0.index, $0.index, $0.correctCount) }
        for (actual, predicted, count) in correct + evaluation.confusions.map({ ($0.actual, $0.predicted, $0.count) })
        where count > 0 {
            guard let row = positions[actual], let column = positions[predicted] else { continue }
            let opacity = Double(count) / Double(max(1, shown[row].pictureCount))
            let names = [shown[row], shown[column]].map { Self.name($0.index, $0.name) }
            let tip = "\(names[0]) taken for \(names[1]): \(count)".escapedHTML
            shapes +=
                "<rect class=\"\(actual == predicted ? "right" : "wrong")\" x=\"\(margin + column * cell)\" "
                + "y=\"\(top + row * cell)\" width=\"\(cell - 1)\" height=\"\(cell - 1)\" "
                + "fill-opacity=\"\(String(format: "%.2f", 0.15 + 0.85 * opacity))\"><title>\(tip)</title></rect>"
        }
        shapes += "<rect class=\"line\" x=\"\(margin)\" y=\"\(top)\" width=\"\(side)\" height=\"\(side)\"/>"
        let left = evaluation.classes.count - shown.count
        let note = left > 0 ? " The \(shown.count) classes with the most mistakes; \(left) more are in the table." : ""
        return """
            <h2>Confusions</h2>
            <p>Each row is a class, each column what its pictures were taken for.\(note)</p>
            <svg viewBox="0 0 \(margin + side + 110) \(top + side + 4)" width="\(margin + side + 110)" role="img" \
            aria-label="Confusion matrix">\(shapes)</svg>
            """
    }

    /// The classes in the picture: those with the most mistakes, in the order of their indices.
    private var confusedClasses: [Evaluation.ClassResult] {
        let mistakes = evaluation.confusions.reduce(into: [Int: Int]()) { counts, confusion in
            counts[confusion.actual, default: 0] += confusion.count
            counts[confusion.predicted, default: 0] += confusion.count
        }
        return evaluation.classes
            .sorted { (mistakes[$1.index] ?? 0, $0.index) < (mistakes[$0.index] ?? 0, $1.index) }
            .prefix(Self.largestPicture).sorted { $0.index < $1.index }
    }

    /// The share of right answers over the confidence, a bar for each bin; on the diagonal confidences mean what they say.
    private var calibrationPicture: String {
        let bins = evaluation.calibration.bins
        let (side, margin) = (240.0, 36.0)
        let width = side / Double(bins.count)
        var shapes = ""
        for (index, bin) in bins.enumerated() {
            guard let accuracy = bin.accuracy, let confidence = bin.meanConfidence else { continue }
            let tip =
                "\(bin.count) answers, confidence \(Self.percentage(confidence)), right \(Self.percentage(accuracy))"
            shapes += String(
                format: "<rect class=\"right\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
                margin + Double(index) * width, 10 + side * (1 - accuracy), max(1, width - 1), max(1, side * accuracy))
            shapes += "\(tip)</title></rect>"
        }
        return """
            <h2>Calibration</h2>
            <p>The share of right answers over their confidence. Where bars end on the diagonal, confidences are true.</p>
            <svg viewBox="0 0 300 290" width="300" role="img" aria-label="Calibration">\(shapes)\
            <path class="line" d="M36 250H276M36 250V10M36 250L276 10"/>\
            <text x="36" y="268">0</text><text x="276" y="268" text-anchor="end">100 % confident</text>\
            <text x="30" y="250" text-anchor="end">0</text><text x="30" y="20" text-anchor="end">100</text></svg>
            """
    }

    private var mistakes: String {
        let figures = evaluation.worstMistakes.map { mistake in
            let picture =
                mistake.thumbnail.map {
                    "<img alt=\"\" src=\"data:image/jpeg;base64,\($0.base64EncodedString())\">"
                } ?? ""
            let actual = Self.name(mistake.actual, mistake.actualName).escapedHTML
            let predicted = Self.name(mistake.predicted, mistake.predictedName).escapedHTML
            return "<figure>\(picture)<figcaption>\(mistake.id.escapedHTML)<br>is <b>\(actual)</b>, taken for "
                + "<b>\(predicted)</b> (\(Self.percentage(Double(mistake.confidence))))</figcaption></figure>"
        }
        guard !figures.isEmpty else { return "<h2>Worst mistakes</h2><p>None.</p>" }
        return "<h2>Worst mistakes</h2>\n<div class=\"mistakes\">\n\(figures.joined(separator: "\n"))\n</div>"
    }

    private var classTable: String {
        let rows = evaluation.classes.map { result in
            let name = Self.name(result.index, result.name).escapedHTML
            let numbers = [
                String(result.index), String(result.pictureCount), Self.percentage(result.precision),
                Self.percentage(result.recall),
            ]
            return "<tr><td>\(name)</td>" + numbers.map { "<td class=\"n\">\($0)</td>" }.joined() + "</tr>"
        }
        let headings = ["index", "pictures", "precision", "recall"].map { "<th class=\"n\">\($0)</th>" }.joined()
        return "<h2>Classes</h2>\n<table><tr><th>class</th>\(headings)</tr>\n\(rows.joined(separator: "\n"))\n</table>"
    }

    private static func name(_ index: Int, _ name: String?) -> String { name ?? "class \(index)" }

    private static func shortened(_ name: String) -> String { name.count > 24 ? name.prefix(23) + "…" : name }

    private static func percentage(_ share: Double?) -> String {
        share.map { String(format: "%.2f %%", $0 * 100) } ?? "–"
    }
}

extension String {
    /// The text for HTML, where none of its characters means anything.
    var escapedHTML: String {
        printable.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
