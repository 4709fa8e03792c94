import FoundationEssentials
import Platform
import Runs
import Similarity
import Vision

/// An evaluation of pixels, depths, vectors or texts as a self-contained HTML page.
///
///     try OtherEvaluationPage(evaluation, title: "segformer.onnx on photos").write(to: "report.html")
public struct OtherEvaluationPage: Sendable {
    /// The text of the page.
    public let html: String

    /// Makes a page with the mean intersection over union, and the figures of every class of pixels.
    public init(_ evaluation: SegmentationEvaluation, title: String) {
        var page = Self.page(title, evaluation.pictureCount, "picture")
        let classes = evaluation.classes
        let known = classes.filter { $0.intersectionOverUnion != nil }
        let hardest = known.min { ($0.intersectionOverUnion ?? 0) < ($1.intersectionOverUnion ?? 0) }
        page.append([
            Finding(
                question: "How well do the pixels agree?",
                answer: [
                    "Mean intersection over union \(Self.share(evaluation.meanIntersectionOverUnion)), "
                        + "\(Self.share(evaluation.pixelAccuracy)) of the pixels right.",
                    hardest.map { "Lowest for \(Self.name($0)): \(Self.share($0.intersectionOverUnion))." }
                        ?? "No class has pixels.",
                ], tone: .plain)
        ])
        page.append(
            "Figures",
            html: Self.figures([
                ("Mean intersection over union", Self.share(evaluation.meanIntersectionOverUnion)),
                ("Right pixels", Self.share(evaluation.pixelAccuracy)), ("Pixels", "\(evaluation.pixelCount)"),
                ("Pictures without an answer", "\(evaluation.failedCount)"),
                ("Pictures without a mask", "\(evaluation.unmarkedCount)"),
            ]))
        var table = ReportTable(
            "Every class of masks or predictions",
            [
                .text("class"), .number("number"), .number("pixels"), .number("predicted"), .number("IoU"),
                .number("accuracy"),
            ])
        for result in classes {
            table.append([
                .text(Self.name(result)), Self.count(result.index), Self.count(result.pixelCount),
                Self.count(result.predictedCount),
                .number(result.intersectionOverUnion, { Self.share($0) }, bar: result.intersectionOverUnion),
                .number(result.accuracy) { Self.share($0) },
            ])
        }
        page.append(
            "Classes",
            note: "Intersection over union: the pixels that prediction and mask share ÷ those that either has.",
            html: table.html)
        html = page.html
    }

    /// Makes a page with the errors of depths.
    public init(_ evaluation: DepthEvaluation, title: String) {
        func number(_ value: Double?) -> String { value.map { $0.text(decimals: 4) } ?? "–" }
        var page = Self.page(title, evaluation.pictureCount, "picture")
        let meaning = evaluation.options.isInverse ? "inverse depths" : "depths"
        let alignment =
            switch evaluation.options.alignment {
            case .none: "taken as they are"
            case .median: "multiplied so that medians agree"
            case .leastSquares: "multiplied and shifted so that the squares of differences are least"
            }
        page.append([
            Finding(
                question: "How far are the depths from the measured ones?",
                answer: [
                    "By \(Self.share(evaluation.absoluteRelativeError)) of the true depth in the mean.",
                    "The network's numbers are \(meaning), \(alignment).",
                ], tone: .plain)
        ])
        let shares = evaluation.sharesWithin ?? []
        page.append(
            "Figures",
            note: "Means over pictures. p is the predicted depth, d the true one.",
            html: Self.figures(
                [
                    ("AbsRel: mean of |p − d| ÷ d", number(evaluation.absoluteRelativeError)),
                    ("RMSE: root of the mean of (p − d)²", number(evaluation.rootMeanSquareError)),
                ]
                    + zip(["1.25", "1.25²", "1.25³"], shares).map {
                        ("Pixels with a ratio below \($0)", Self.share($1))
                    }
                    + [
                        ("Pixels", "\(evaluation.pixelCount)"),
                        ("Pictures without an answer", "\(evaluation.failedCount)"),
                        ("Pictures without true depths", "\(evaluation.unmarkedCount)"),
                    ]))
        html = page.html
    }

    /// Makes a page with the recall at each number of neighbors.
    public init(_ evaluation: RetrievalEvaluation, title: String) {
        var page = Self.page(title, evaluation.questionCount, "question")
        let best = evaluation.recalls.first
        page.append([
            Finding(
                question: "Are pictures of one label near each other?",
                answer: [
                    best.map {
                        "For \(Self.share($0.recall)) of the pictures, "
                            + ($0.count == 1 ? "the nearest one has" : "one of the \($0.count) nearest has")
                            + " their label."
                    } ?? "There are no figures.",
                    "\(evaluation.questionCount) pictures asked; \(evaluation.singleCount) have a label that no other has.",
                ], tone: .plain)
        ])
        var table = ReportTable(
            "The share of pictures with at least one of their label among the nearest",
            [.number("nearest"), .number("recall")])
        for (count, recall) in evaluation.recalls {
            table.append([Self.count(count), .number(recall, { Self.share($0) }, bar: recall)])
        }
        page.append("Recall", html: table.html)
        page.append(
            "Left out",
            html: Self.figures([
                ("Pictures without an answer", "\(evaluation.failedCount)"),
                ("Pictures without a label", "\(evaluation.unlabelledCount)"),
                ("Pictures whose label no other has", "\(evaluation.singleCount)"),
            ]))
        html = page.html
    }

    /// Makes a page with the character error rate, and the texts with the most errors.
    public init(_ evaluation: TextEvaluation, title: String) {
        let rate = evaluation.rate
        var page = Self.page(title, rate.textCount, "text")
        let right = rate.textCount > 0 ? Double(rate.rightCount) / Double(rate.textCount) : nil
        page.append([
            Finding(
                question: "How much is read wrongly?",
                answer: [
                    "\(Self.share(rate.value)) of the characters: \(rate.errorCount) errors in \(rate.characterCount).",
                    "\(Self.share(right)) of the texts are right.",
                ], tone: .plain)
        ])
        page.append(
            "Figures",
            html: Self.figures([
                ("Character error rate", Self.share(rate.value)), ("Right texts", Self.share(right)),
                ("Pictures without an answer", "\(evaluation.failedCount)"),
                ("Pictures without a true text", "\(evaluation.unmarkedCount)"),
            ]))
        var table = ReportTable(
            "The texts with the most errors",
            [.number("errors"), .text("picture"), .text("read"), .text("true")])
        for mistake in evaluation.mistakes {
            table.append([
                Self.count(mistake.errorCount), .text(mistake.id), .text(mistake.text), .text(mistake.actual),
            ])
        }
        page.append("Worst texts", html: evaluation.mistakes.isEmpty ? "<p>None.</p>" : table.html)
        html = page.html
    }

    /// Writes the page. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) {
        try OutputFile.replace(path) { try $0.write(html) }
    }

    private static func page(_ title: String, _ count: Int, _ noun: String) -> ReportPage {
        ReportPage(kind: .evaluation, title: title, subtitle: "\(count) \(count == 1 ? noun : noun + "s")")
    }

    private static func figures(_ figures: [(name: String, value: String)]) -> String {
        var table = ReportTable("Figures", [.text("figure"), .text("value")])
        for figure in figures where figure.value != "0" { table.append([.text(figure.name), .text(figure.value)]) }
        return table.html
    }

    private static func name(_ result: SegmentationEvaluation.ClassResult) -> String {
        result.name ?? "class \(result.index)"
    }

    private static func count(_ count: Int) -> ReportTable.Cell { .number(Double(count)) { String(Int($0)) } }

    private static func share(_ share: Double?) -> String {
        share.map { "\(($0 * 100).text(decimals: 2)) %" } ?? "–"
    }
}
