import Apus
import FoundationEssentials
import Platform

/// The texts of evaluations of pixels, depths, vectors and texts.
enum OtherEvaluationText {
    /// - Parameter show: The maximum number of classes.
    static func lines(_ evaluation: SegmentationEvaluation, _ title: String, _ show: Int) -> [String] {
        var figures = TextTable([("", .left), ("", .right), ("", .left)])
        figures.append([
            "mean IoU", share(evaluation.meanIntersectionOverUnion), "mean of \(evaluation.classes.count) classes",
        ])
        figures.append(["right pixels", share(evaluation.pixelAccuracy), "of \(evaluation.pixelCount.grouped)"])
        var classes = TextTable([("class", .left), ("pixels", .right), ("IoU", .right), ("accuracy", .right)])
        for result in evaluation.classes.prefix(show) {
            classes.append([
                result.name ?? "class \(result.index)", result.pixelCount.grouped, share(result.intersectionOverUnion),
                share(result.accuracy),
            ])
        }
        let more = evaluation.classes.count - show
        return [title.printable, "\(evaluation.pictureCount.grouped) pictures"]
            + leftOut([(evaluation.failedCount, "without an answer"), (evaluation.unmarkedCount, "without a mask")])
            + figures.lines() + [""] + classes.lines() + (more > 0 ? ["… \(more.grouped) more classes"] : [])
    }

    static func lines(_ evaluation: DepthEvaluation, _ title: String) -> [String] {
        func number(_ value: Double?) -> String { value.map { $0.text(decimals: 4) } ?? "–" }
        var figures = TextTable([("", .left), ("", .right), ("", .left)])
        figures.append(["AbsRel", number(evaluation.absoluteRelativeError), "mean of |p − d| ÷ d"])
        figures.append(["RMSE", number(evaluation.rootMeanSquareError), "root of the mean of (p − d)²"])
        for (index, share) in (evaluation.sharesWithin ?? []).enumerated() {
            let power = ["", "²", "³"][min(index, 2)]
            figures.append(["δ < 1.25\(power)", self.share(share), "of \(evaluation.pixelCount.grouped) pixels"])
        }
        return [title.printable, "\(evaluation.pictureCount.grouped) pictures"]
            + leftOut([
                (evaluation.failedCount, "without an answer"), (evaluation.unmarkedCount, "without true depths"),
            ])
            + figures.lines()
    }

    static func lines(_ evaluation: RetrievalEvaluation, _ title: String) -> [String] {
        var figures = TextTable([("", .left), ("", .right), ("", .left)])
        for (count, recall) in evaluation.recalls {
            figures.append(["recall at \(count)", share(recall), "of \(evaluation.questionCount.grouped) pictures"])
        }
        let single = (evaluation.singleCount, "whose label no other has")
        return [title.printable] + figures.lines()
            + leftOut([
                single, (evaluation.failedCount, "without an answer"), (evaluation.unlabelledCount, "without a label"),
            ])
    }

    static func lines(_ evaluation: TextEvaluation, _ title: String) -> [String] {
        let rate = evaluation.rate
        var figures = TextTable([("", .left), ("", .right), ("", .left)])
        figures.append([
            "character error rate", share(rate.value),
            "\(rate.errorCount.grouped) errors in \(rate.characterCount.grouped) characters",
        ])
        let right = rate.textCount > 0 ? Double(rate.rightCount) / Double(rate.textCount) : nil
        figures.append(["right texts", share(right), "of \(rate.textCount.grouped)"])
        var mistakes = TextTable([("errors", .right), ("picture", .left), ("read", .left), ("true", .left)])
        for mistake in evaluation.mistakes {
            mistakes.append([
                mistake.errorCount.grouped, mistake.id.printable, beginning(mistake.text), beginning(mistake.actual),
            ])
        }
        return [title.printable]
            + leftOut([
                (evaluation.failedCount, "without an answer"), (evaluation.unmarkedCount, "without a true text"),
            ])
            + figures.lines() + (evaluation.mistakes.isEmpty ? [] : [""] + mistakes.lines())
    }

    /// The beginning of a text for one cell.
    private static func beginning(_ text: String) -> String {
        text.count > 40 ? text.prefix(39).description.printable + "…" : text.printable
    }

    private static func leftOut(_ counts: [(Int, String)]) -> [String] {
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        return parts.isEmpty ? [] : ["left out: \(parts.joined(separator: ", "))"]
    }

    private static func share(_ share: Double?) -> String {
        share.map { "\(($0 * 100).text(decimals: 2)) %" } ?? "–"
    }
}
