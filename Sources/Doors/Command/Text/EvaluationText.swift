import Apus
import FoundationEssentials
import Platform

/// The text of an evaluation.
struct EvaluationText {
    private let evaluation: Evaluation
    private let title: String
    private let show: Int

    init(_ evaluation: Evaluation, title: String, show: Int) {
        self.evaluation = evaluation
        self.title = title
        self.show = show
    }

    var lines: [String] { [title.printable] + figures + classes + confusions + mistakes }

    private var figures: [String] {
        var table = TextTable([("", .left), ("", .right), ("", .left)])
        let count = evaluation.imageCount.grouped
        table.append(["top-1", Self.percentage(evaluation.top1), "\(evaluation.top1Count.grouped) of \(count)"])
        table.append(["top-5", Self.percentage(evaluation.top5), "\(evaluation.top5Count.grouped) of \(count)"])
        let classCount = "mean of \(evaluation.classes.count.grouped) classes"
        table.append(["precision", Self.percentage(evaluation.meanPrecision), classCount])
        table.append(["recall", Self.percentage(evaluation.meanRecall), classCount])
        table.append([
            "calibration error", Self.percentage(evaluation.calibration.expectedError),
            "\(evaluation.calibration.bins.count) bins",
        ])
        let leftOut = [
            (evaluation.failedCount, "without an answer"), (evaluation.unlabelledCount, "without a label"),
            (evaluation.unknownLabelCount, "with a label that is no class"),
        ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        return table.lines() + (leftOut.isEmpty ? [] : ["left out: \(leftOut.joined(separator: ", "))"])
    }

    private var classes: [String] {
        var table = TextTable([
            ("class", .left), ("pictures", .right), ("precision", .right), ("recall", .right),
        ])
        // If not all classes fit, those with the lowest recall are shown.
        let isCut = evaluation.classes.count > show
        let sorted = isCut ? evaluation.classes.sorted { ($0.recall ?? 2) < ($1.recall ?? 2) } : evaluation.classes
        for result in sorted.prefix(show) {
            table.append([
                Self.name(result.index, result.name), result.imageCount.grouped, Self.percentage(result.precision),
                Self.percentage(result.recall),
            ])
        }
        return Self.section(table, shown: show, of: evaluation.classes.count, "classes")
    }

    private var confusions: [String] {
        var table = TextTable([("taken", .right), ("class", .left), ("for", .left)])
        for confusion in evaluation.confusions.prefix(show) {
            table.append([
                confusion.count.grouped, Self.name(confusion.actual, confusion.actualName),
                Self.name(confusion.predicted, confusion.predictedName),
            ])
        }
        return Self.section(table, shown: show, of: evaluation.confusions.count, "confusions")
    }

    private var mistakes: [String] {
        var table = TextTable([("worst mistakes", .left), ("class", .left), ("taken for", .left), ("", .right)])
        for mistake in evaluation.worstMistakes.prefix(show) {
            table.append([
                mistake.id, Self.name(mistake.actual, mistake.actualName),
                Self.name(mistake.predicted, mistake.predictedName), Self.percentage(Double(mistake.confidence)),
            ])
        }
        return Self.section(table, shown: show, of: evaluation.worstMistakes.count, "mistakes")
    }

    /// A table after an empty line; nothing for a table without rows.
    private static func section(_ table: TextTable, shown: Int, of count: Int, _ noun: String) -> [String] {
        guard count > 0, shown > 0 else { return [] }
        return [""] + table.lines() + (count > shown ? ["… \((count - shown).grouped) more \(noun)"] : [])
    }

    private static func name(_ index: Int, _ name: String?) -> String { name ?? "class \(index)" }

    private static func percentage(_ share: Double?) -> String {
        share.map { "\(($0 * 100).text(decimals: 2)) %" } ?? "–"
    }
}
