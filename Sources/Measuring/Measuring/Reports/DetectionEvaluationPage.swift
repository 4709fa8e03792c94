import FoundationEssentials
import Platform
import Runs
import Vision

/// An evaluation of objects as a self-contained HTML page: COCO's figures, precision over recall by class, and the
/// pictures with the most mistakes.
///
///     try DetectionEvaluationPage(evaluation, title: "results.json").write(to: "report.html")
public struct DetectionEvaluationPage: Sendable {
    private let evaluation: DetectionEvaluation
    private let title: String

    /// The maximum number of curves in the chart; the table has all classes.
    private static let maximumCurveCount = 8

    /// Makes a page.
    public init(_ evaluation: DetectionEvaluation, title: String) {
        (self.evaluation, self.title) = (evaluation, title)
    }

    /// Writes the page. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) {
        try OutputFile.replace(path) { try $0.write(html) }
    }

    /// The text of the page.
    public var html: String {
        let count = evaluation.pictureCount
        var page = ReportPage(
            kind: .evaluation, title: title,
            subtitle: "\(evaluation.kind.rawValue), \(count) \(count == 1 ? "picture" : "pictures")")
        page.append([precision, mistakes])
        page.append(
            "Figures", note: "By COCO's rules; those without an overlap are means over 0.5, 0.55, … 0.95.",
            html: figures)
        page.append("Precision over recall", note: curveNote, html: curves)
        page.append(
            "Worst pictures",
            note: "Objects that were not found, and results with a confidence of at least 0.5 that match none.",
            html: pictures)
        page.append("Classes", html: classTable)
        return page.html
    }

    private var precision: Finding {
        let worst = evaluation.classes.filter { $0.averagePrecision != nil }
            .min { ($0.averagePrecision ?? 0) < ($1.averagePrecision ?? 0) }
        let hardest = worst.map { "Lowest for \($0.name): \(Self.share($0.averagePrecision))." }
        return Finding(
            question: "How precise is it?",
            answer: [
                "Average precision \(Self.share(evaluation.figure("AP"))), \(Self.share(evaluation.figure("AP50"))) at an overlap of 0.5.",
                hardest ?? "No class has marked objects.",
            ], tone: .plain)
    }

    private var mistakes: Finding {
        let (found, missed) = evaluation.worstPictures.reduce((0, 0)) { ($0.0 + $1.foundCount, $0.1 + $1.missedCount) }
        return Finding(
            question: "What does it miss?",
            answer: [
                evaluation.worstPictures.isEmpty
                    ? "Nothing." : "In the worst pictures, \(missed) of \(found + missed) objects.",
                "\(evaluation.objectCount) objects are marked, and there are \(evaluation.resultCount) results.",
            ], tone: .plain)
    }

    private var figures: String {
        var table = ReportTable("COCO's figures", [.text("figure"), .text("meaning"), .number("value")])
        for figure in evaluation.figures {
            table.append([.text(figure.name), .text(figure.meaning), .number(figure.value, Self.share)])
        }
        let counts = [
            ("Without an answer", evaluation.failedCount), ("Without annotations", evaluation.unmarkedCount),
            ("Annotations without a picture", evaluation.absentCount),
            ("Results of other classes", evaluation.unknownClassCount),
        ]
        for (name, count) in counts where count > 0 { table.append([.text(name), .text(""), .text("\(count)")]) }
        return table.html
    }

    /// The classes in the chart: those with the most marked objects.
    private var curveClasses: [DetectionEvaluation.ClassResult] {
        evaluation.classes.filter { !$0.precisions.isEmpty }
            .sorted { ($1.objectCount, $0.category) < ($0.objectCount, $1.category) }
            .prefix(Self.maximumCurveCount).sorted { $0.category < $1.category }
    }

    private var curveNote: String {
        let left = evaluation.classes.count { !$0.precisions.isEmpty } - curveClasses.count
        return "At an overlap of 0.5."
            + (left > 0
                ? " The \(curveClasses.count) classes with the most objects; \(left) more are in the table." : "")
    }

    private var curves: String {
        let shown = curveClasses
        guard !shown.isEmpty else { return "<p>None.</p>" }
        let (side, margin, top) = (360.0, 48.0, 12.0)
        var svg = SVG(width: margin + side + 20, height: top + side + 44, label: "Precision over recall by class")
        for step in 0...4 {
            let share = Double(step) / 4
            let (x, y) = (margin + side * share, top + side * (1 - share))
            svg.line(margin, y, margin + side, y, style: "grid")
            svg.text(share.text(decimals: 2), x: margin - 6, y: y + 4, anchor: .end, style: "muted small")
            svg.text(share.text(decimals: 2), x: x, y: top + side + 16, anchor: .middle, style: "muted small")
        }
        svg.text("recall", x: margin + side / 2, y: top + side + 36, anchor: .middle, style: "muted small")
        for (color, result) in shown.enumerated() {
            let points = result.precisions.enumerated().map { index, precision in
                let share = Double(index) / Double(max(1, result.precisions.count - 1))
                return "\(SVG.number(margin + side * share)) \(SVG.number(top + side * (1 - precision)))"
            }
            svg.path(
                "M" + points.joined(separator: "L"), style: "trace s\(color % 8)",
                tip: "\(result.name)\nAP50 \(Self.share(result.averagePrecision50))\n\(result.objectCount) objects")
        }
        let legend = ReportPage.legend(shown.enumerated().map { ($1.name, "f\($0 % 8)") })
        return "\(legend)<div class=\"chart\">\(svg.html)</div>"
    }

    private var pictures: String {
        let figures = evaluation.worstPictures.map { picture in
            let image =
                evaluation.thumbnails[picture.picture].map {
                    "<img alt=\"\" src=\"data:image/jpeg;base64,\($0.base64EncodedString())\">"
                } ?? ""
            let name = (picture.fileName ?? "image \(picture.picture)").escapedHTML
            return "<figure>\(image)<figcaption>\(name)<br><b>\(picture.missedCount)</b> missed, "
                + "<b>\(picture.wrongCount)</b> wrong, \(picture.foundCount) found</figcaption></figure>"
        }
        guard !figures.isEmpty else { return "<p>None.</p>" }
        return "<div class=\"pictures\">\n\(figures.joined(separator: "\n"))\n</div>"
    }

    private var classTable: String {
        var table = ReportTable(
            "Every class of the ground truth",
            [
                .text("class"), .number("id"), .number("objects"), .number("results"), .number("AP"),
                .number("AP50"), .number("AR"),
            ])
        for result in evaluation.classes {
            table.append([
                .text(result.name), .number(Double(result.category)) { String(Int($0)) },
                .number(Double(result.objectCount)) { String(Int($0)) },
                .number(Double(result.resultCount)) { String(Int($0)) },
                .number(result.averagePrecision, Self.share, bar: result.averagePrecision),
                .number(result.averagePrecision50, Self.share), .number(result.averageRecall, Self.share),
            ])
        }
        return table.html
    }

    private static func share(_ share: Double?) -> String { share.map(Self.share) ?? "–" }

    private static func share(_ share: Double) -> String { share.text(decimals: 4) }
}
