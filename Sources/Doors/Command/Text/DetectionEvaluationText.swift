import Apus
import FoundationEssentials
import Platform

/// The text of an evaluation of objects.
struct DetectionEvaluationText {
    private let evaluation: DetectionEvaluation
    private let title: String
    private let show: Int

    init(_ evaluation: DetectionEvaluation, title: String, show: Int) {
        (self.evaluation, self.title, self.show) = (evaluation, title, show)
    }

    var lines: [String] { [title.printable] + counts + figures + classes + pictures }

    private var counts: [String] {
        let results = "\(evaluation.resultCount.grouped) results"
        let found =
            "\(evaluation.objectCount.grouped) marked objects and \(results) in \(evaluation.pictureCount.grouped) pictures"
        let leftOut = [
            (evaluation.failedCount, "without an answer"), (evaluation.unmarkedCount, "without annotations"),
            (evaluation.absentCount, "of the annotations without a picture"),
            (evaluation.unknownClassCount, "results of other classes"),
        ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        return ["\(evaluation.kind.rawValue): \(found)"]
            + (leftOut.isEmpty ? [] : ["left out: \(leftOut.joined(separator: ", "))"])
    }

    private var figures: [String] {
        var table = TextTable([("", .left), ("", .right), ("", .left)])
        for figure in evaluation.figures { table.append([figure.name, Self.share(figure.value), figure.meaning]) }
        return [""] + table.lines()
    }

    private var classes: [String] {
        guard show > 0, !evaluation.classes.isEmpty else { return [] }
        var table = TextTable([
            ("class", .left), ("objects", .right), ("results", .right), ("AP", .right), ("AP50", .right),
            ("AR", .right),
        ])
        // If not all classes fit, those with the lowest precision are shown.
        let isCut = evaluation.classes.count > show
        let sorted =
            isCut
            ? evaluation.classes.sorted { ($0.averagePrecision ?? 2) < ($1.averagePrecision ?? 2) }
            : evaluation.classes
        for result in sorted.prefix(show) {
            table.append([
                result.name, result.objectCount.grouped, result.resultCount.grouped,
                Self.share(result.averagePrecision),
                Self.share(result.averagePrecision50), Self.share(result.averageRecall),
            ])
        }
        let more = evaluation.classes.count - show
        return [""] + table.lines() + (more > 0 ? ["… \(more.grouped) more classes"] : [])
    }

    private var pictures: [String] {
        guard show > 0, !evaluation.worstPictures.isEmpty else { return [] }
        var table = TextTable([("worst pictures", .left), ("found", .right), ("missed", .right), ("wrong", .right)])
        for picture in evaluation.worstPictures.prefix(show) {
            table.append([
                picture.fileName ?? "image \(picture.picture)", picture.foundCount.grouped, picture.missedCount.grouped,
                picture.wrongCount.grouped,
            ])
        }
        return [""] + table.lines()
    }

    private static func share(_ share: Double?) -> String { share.map { $0.text(decimals: 4) } ?? "–" }
}
