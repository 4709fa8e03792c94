import FoundationEssentials
import Graphs
import Platform
import Runs
import Vision

/// An evaluation as a self-contained HTML page: figures, the confusion matrix, the calibration, and the worst mistakes.
///
///     try EvaluationPage(evaluation, title: "squeezenet1_1.onnx on photos").write(to: "report.html")
public struct EvaluationPage: Sendable {
    private let evaluation: Evaluation
    private let title: String

    /// The maximum number of classes in the confusion matrix; the table has all of them.
    private static let maximumClassCount = 30

    /// Makes a page.
    public init(_ evaluation: Evaluation, title: String) {
        self.evaluation = evaluation
        self.title = title
    }

    /// Writes the page. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) {
        try OutputFile.replace(path) { try $0.write(html) }
    }

    /// The text of the page.
    public var html: String {
        let count = evaluation.imageCount
        var page = ReportPage(
            kind: .evaluation, title: title, subtitle: "\(count) labelled \(count == 1 ? "picture" : "pictures")")
        page.append([accuracy, confidence])
        page.append(
            "Figures",
            note: "Where bars of the calibration end on the diagonal, confidences are the share that is right.",
            html: "<div class=\"side\">\(figures)<div class=\"chart\">\(calibrationPicture)</div></div>")
        page.append("Confusions", note: confusionNote, html: confusionPicture)
        page.append("Worst mistakes", html: mistakes)
        page.append("Classes", html: classTable)
        return page.html
    }

    private var accuracy: Finding {
        let confusion = evaluation.confusions.first.map {
            let names = (Self.name($0.actual, $0.actualName), Self.name($0.predicted, $0.predictedName))
            return "Most often \(names.0) is taken for \(names.1): \($0.count == 1 ? "once" : "\($0.count) times")."
        }
        return Finding(
            question: "How often is it right?",
            answer: [
                "\(Self.percentage(evaluation.top1)) of the pictures, \(Self.percentage(evaluation.top5)) within the best five.",
                confusion ?? "No class is taken for another.",
            ], tone: .plain)
    }

    private var confidence: Finding {
        let error = evaluation.calibration.expectedError
        let answered = evaluation.calibration.bins.reduce(0) { $0 + $1.count }
        let claimed =
            answered > 0 ? evaluation.calibration.bins.reduce(0) { $0 + $1.confidenceSum } / Double(answered) : nil
        return Finding(
            question: "Are its confidences true?",
            answer: [
                "They are \(Self.percentage(error)) from the share that is right, in the mean.",
                "It claims to be right in \(Self.percentage(claimed)) of its answers, and is in "
                    + "\(Self.percentage(evaluation.top1)).",
            ], tone: .plain)
    }

    private var figures: String {
        var table = ReportTable("All figures", [.text("figure"), .number("value")])
        let rows = [
            ("Pictures", String(evaluation.imageCount)), ("Top-1", Self.percentage(evaluation.top1)),
            ("Top-5", Self.percentage(evaluation.top5)), ("Mean precision", Self.percentage(evaluation.meanPrecision)),
            ("Mean recall", Self.percentage(evaluation.meanRecall)),
            ("Expected calibration error", Self.percentage(evaluation.calibration.expectedError)),
            ("Without an answer", String(evaluation.failedCount)),
            ("Without a label", String(evaluation.unlabelledCount)),
            ("With a label that is no class", String(evaluation.unknownLabelCount)),
        ]
        for (name, value) in rows { table.append([.text(name), .text(value)]) }
        return table.html
    }

    private var confusionNote: String {
        let left = evaluation.classes.count - confusedClasses.count
        let note =
            left > 0
            ? " The \(confusedClasses.count) classes with the most mistakes; \(left) more are in the table." : ""
        return "Each row is a class, each column what its pictures were taken for.\(note)"
    }

    /// The confusion matrix. Rows are the actual classes, columns the predicted ones. The opacity of a cell is its
    /// share of the row.
    private var confusionPicture: String {
        let shown = confusedClasses
        guard !shown.isEmpty else { return "<p>None.</p>" }
        let longest = Double(min(24, shown.map { Self.name($0.index, $0.name).count }.max() ?? 0))
        let (cell, margin, top) = (24.0, 20 + 7 * longest, 24 + 6.2 * longest)
        let side = Double(shown.count) * cell
        var svg = SVG(width: margin + side + 120, height: top + side + 4, label: "Confusion matrix")
        for (position, result) in shown.enumerated() {
            let label = BarChart.shortened(Self.name(result.index, result.name), to: 24)
            let middle = (Double(position) + 0.5) * cell
            svg.text(label, x: margin - 8, y: top + middle + 4, anchor: .end)
            svg.turnedText(label, x: margin + middle + 4, y: top - 8, degrees: -60)
        }
        let positions = Dictionary(uniqueKeysWithValues: shown.enumerated().map { ($1.index, $0) })
        let correct = shown.map { ($0.index, $0.index, $0.correctCount) }
        for (actual, predicted, count) in correct + evaluation.confusions.map({ ($0.actual, $0.predicted, $0.count) })
        where count > 0 {
            guard let row = positions[actual], let column = positions[predicted] else { continue }
            let share = Double(count) / Double(max(1, shown[row].imageCount))
            let names = [shown[row], shown[column]].map { Self.name($0.index, $0.name) }
            // Opacity has five steps.
            let step = min(5, max(1, Int((share * 5).rounded(.up))))
            svg.rectangle(
                x: margin + Double(column) * cell, y: top + Double(row) * cell, width: cell - 1, height: cell - 1,
                style: "\(actual == predicted ? "right" : "wrong") o\(step)",
                tip: "\(names[0]) taken for \(names[1]): \(count) of \(shown[row].imageCount)", radius: 3)
        }
        for line in 0...shown.count {
            let place = Double(line) * cell - 0.5
            svg.line(margin, top + place, margin + side, top + place, style: "grid")
            svg.line(margin + place, top, margin + place, top + side, style: "grid")
        }
        return "<div class=\"chart\">\(svg.html)</div>"
    }

    /// The classes in the confusion matrix: those with the most mistakes, in the order of their indices.
    private var confusedClasses: [Evaluation.ClassResult] {
        let mistakes = evaluation.confusions.reduce(into: [Int: Int]()) { counts, confusion in
            counts[confusion.actual, default: 0] += confusion.count
            counts[confusion.predicted, default: 0] += confusion.count
        }
        return evaluation.classes
            .sorted { (mistakes[$1.index] ?? 0, $0.index) < (mistakes[$0.index] ?? 0, $1.index) }
            .prefix(Self.maximumClassCount).sorted { $0.index < $1.index }
    }

    /// A chart of the share of right answers over the confidence, with a bar for each bin. Confidences are calibrated
    /// on the diagonal.
    private var calibrationPicture: String {
        let bins = evaluation.calibration.bins
        let (side, margin, top) = (280.0, 44.0, 12.0)
        let width = side / Double(bins.count)
        var svg = SVG(width: margin + side + 20, height: top + side + 44, label: "Calibration")
        for step in 0...4 {
            let share = Double(step) / 4
            let (x, y) = (margin + side * share, top + side * (1 - share))
            svg.line(margin, y, margin + side, y, style: "grid")
            svg.text("\(25 * step)", x: margin - 6, y: y + 4, anchor: .end, style: "muted small")
            svg.text("\(25 * step)", x: x, y: top + side + 16, anchor: .middle, style: "muted small")
        }
        svg.text("% confident", x: margin + side / 2, y: top + side + 36, anchor: .middle, style: "muted small")
        for (index, bin) in bins.enumerated() {
            guard let accuracy = bin.accuracy, let confidence = bin.meanConfidence else { continue }
            svg.rectangle(
                x: margin + Double(index) * width, y: top + side * (1 - accuracy), width: max(1, width - 1),
                height: max(1, side * accuracy), style: "f0",
                tip:
                    "\(bin.count) answers\nconfidence \(Self.percentage(confidence))\nright \(Self.percentage(accuracy))",
                radius: 2)
        }
        svg.line(margin, top + side, margin + side, top, style: "axis")
        return svg.html
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
        guard !figures.isEmpty else { return "<p>None.</p>" }
        return "<div class=\"pictures\">\n\(figures.joined(separator: "\n"))\n</div>"
    }

    private var classTable: String {
        var table = ReportTable(
            "Every class that is a label or was predicted",
            [
                .text("class"), .number("index"), .number("pictures"), .number("predicted"), .number("precision"),
                .number("recall"),
            ])
        for result in evaluation.classes {
            table.append([
                .text(Self.name(result.index, result.name)), .number(Double(result.index)) { String(Int($0)) },
                .number(Double(result.imageCount)) { String(Int($0)) },
                .number(Double(result.predictedCount)) { String(Int($0)) },
                .number(result.precision, Self.percentage), .number(result.recall, Self.percentage),
            ])
        }
        return table.html
    }

    private static func name(_ index: Int, _ name: String?) -> String { name ?? "class \(index)" }

    private static func percentage(_ share: Double?) -> String {
        share.map { ($0 * 100).text(decimals: 2) + " %" } ?? "–"
    }
}
