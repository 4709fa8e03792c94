import FoundationEssentials
import Models
import Predicting

/// Compares answers with labels, one by one.
///
///     var evaluator = Evaluator(labels: classifier.labels)
///     evaluator.add(answer, label: 281, id: "photos/cat.jpg")
///     print(evaluator.evaluation.top1 ?? 0)
public struct Evaluator: Sendable {
    private struct Pair: Hashable {
        let actual: Int
        let predicted: Int
    }

    private let labels: Labels?
    private let mistakeCount: Int
    private var counts = Evaluation()
    /// The number of pictures for each pair of actual and predicted class.
    private var pairs: [Pair: Int] = [:]
    /// The wrong answers with the highest confidence, in falling order.
    private var mistakes: [Evaluation.Mistake] = []

    /// Makes an evaluator without answers.
    ///
    /// - Parameters:
    ///   - labels: The names of the classes.
    ///   - binCount: The number of bins of the calibration.
    ///   - mistakeCount: The number of worst mistakes to keep.
    public init(labels: Labels? = nil, binCount: Int = 15, mistakeCount: Int = 24) {
        self.labels = labels
        self.mistakeCount = mistakeCount
        counts.calibration = Calibration(binCount: binCount)
    }

    /// Counts an answer.
    ///
    /// - Parameter label: The class that the picture belongs to.
    /// - Returns: Whether the answer is now one of the worst mistakes.
    @discardableResult
    public mutating func add(_ answer: Classification, label: Int, id: String) -> Bool {
        let best = answer.top(5)
        guard let first = best.first else { return false }
        let isCorrect = first.index == label
        counts.imageCount += 1
        counts.top1Count += isCorrect ? 1 : 0
        counts.top5Count += best.contains { $0.index == label } ? 1 : 0
        counts.calibration.add(confidence: first.confidence, isCorrect: isCorrect)
        pairs[Pair(actual: label, predicted: first.index), default: 0] += 1
        return isCorrect ? false : keep(first, label, id)
    }

    /// Counts a record without an answer.
    public mutating func addFailure() { counts.failedCount += 1 }

    /// Counts a record without a label.
    public mutating func addUnlabelled() { counts.unlabelledCount += 1 }

    /// Counts a record whose label is not a class.
    public mutating func addUnknownLabel() { counts.unknownLabelCount += 1 }

    /// Adds the picture of one of the worst mistakes.
    mutating func setThumbnail(_ data: Data, id: String) {
        guard let position = mistakes.firstIndex(where: { $0.id == id }) else { return }
        mistakes[position].thumbnail = data
    }

    /// The figures of the answers so far.
    public var evaluation: Evaluation {
        var result = counts
        var totals: [Int: (pictures: Int, predicted: Int, correct: Int)] = [:]
        for (pair, count) in pairs {
            totals[pair.actual, default: (0, 0, 0)].pictures += count
            totals[pair.predicted, default: (0, 0, 0)].predicted += count
            if pair.actual == pair.predicted { totals[pair.actual, default: (0, 0, 0)].correct += count }
        }
        result.classes = totals.sorted { $0.key < $1.key }.map { index, total in
            Evaluation.ClassResult(
                index: index, name: labels?[index], imageCount: total.pictures, predictedCount: total.predicted,
                correctCount: total.correct)
        }
        result.confusions = pairs.filter { $0.key.actual != $0.key.predicted }
            .sorted { ($1.value, $0.key.actual, $0.key.predicted) < ($0.value, $1.key.actual, $1.key.predicted) }
            .map { pair, count in
                Evaluation.Confusion(
                    actual: pair.actual, actualName: labels?[pair.actual], predicted: pair.predicted,
                    predictedName: labels?[pair.predicted], count: count)
            }
        result.worstMistakes = mistakes
        return result
    }

    /// Keeps an answer among the worst mistakes. Of equally confident mistakes the earlier one is kept.
    private mutating func keep(_ prediction: ClassificationObservation, _ label: Int, _ id: String) -> Bool {
        let position = mistakes.firstIndex { $0.confidence < prediction.confidence } ?? mistakes.count
        guard position < mistakeCount else { return false }
        mistakes.insert(
            Evaluation.Mistake(
                id: id, actual: label, actualName: labels?[label], predicted: prediction.index,
                predictedName: labels?[prediction.index], confidence: prediction.confidence), at: position)
        if mistakes.count > mistakeCount { mistakes.removeLast() }
        return true
    }
}
