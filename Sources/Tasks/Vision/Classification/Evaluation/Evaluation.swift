import FoundationEssentials
import Predicting

/// The agreement of predictions with labels.
///
///     let evaluation = try await classifier.evaluate(.imageFolder("photos"))
///     print(evaluation.top1 ?? 0, evaluation.calibration.expectedError ?? 0)
///
/// Figures are shares from 0 to 1, and nil when nothing was counted.
public struct Evaluation: Sendable {
    /// The number of pictures that were predicted and have a label.
    public var imageCount = 0
    /// The number of records without an answer, such as damaged pictures. No other figure includes them.
    public var failedCount = 0
    /// The number of records without a label. No other figure includes them.
    public var unlabelledCount = 0
    /// The number of records left out because their label is not a class. No other figure includes them.
    public var unknownLabelCount = 0
    /// The number of pictures whose class has the highest confidence.
    public var top1Count = 0
    /// The number of pictures whose class is among the five with the highest confidence.
    public var top5Count = 0
    /// The share of pictures whose class has the highest confidence: the accuracy.
    public var top1: Double? { share(top1Count, imageCount) }
    /// The share of pictures whose class is among the five with the highest confidence.
    public var top5: Double? { share(top5Count, imageCount) }
    /// The mean precision of ``classes``; those without one count as 0.
    public var meanPrecision: Double? { Self.mean(classes.map { $0.precision ?? 0 }) }
    /// The mean recall of ``classes``; those without one count as 0.
    public var meanRecall: Double? { Self.mean(classes.map { $0.recall ?? 0 }) }
    /// Every class that is the label of a picture or was predicted, by index.
    public var classes: [ClassResult] = []
    /// The pairs of actual and predicted class among wrong answers, most frequent first.
    public var confusions: [Confusion] = []
    /// The difference between confidences and the shares of right answers.
    public var calibration = Calibration(binCount: 15)
    /// The wrong answers with the highest confidence, in falling order.
    public var worstMistakes: [Mistake] = []

    /// The results of one class.
    public struct ClassResult: Sendable, Equatable {
        /// The class's position in the network's output.
        public let index: Int
        /// The class's name, when known.
        public let name: String?
        /// The number of pictures that belong to the class.
        public let imageCount: Int
        /// The number of pictures that were predicted as the class.
        public let predictedCount: Int
        /// The number of pictures of the class that were predicted as it.
        public let correctCount: Int
        /// The share of the pictures predicted as the class that belong to it.
        public var precision: Double? { share(correctCount, predictedCount) }
        /// The share of the pictures of the class that were predicted as it.
        public var recall: Double? { share(correctCount, imageCount) }
    }

    /// A pair of actual and predicted class, with its number of pictures.
    public struct Confusion: Sendable, Equatable {
        /// The class of the pictures.
        public let actual: Int
        /// The name of the actual class; nil when unknown.
        public let actualName: String?
        /// The predicted class.
        public let predicted: Int
        /// The name of the predicted class; nil when unknown.
        public let predictedName: String?
        /// The number of answers.
        public let count: Int
    }

    /// A wrong answer.
    public struct Mistake: Sendable, Equatable {
        /// The record's id.
        public let id: String
        /// The class that the picture belongs to.
        public let actual: Int
        /// The name of the actual class; nil when unknown.
        public let actualName: String?
        /// The predicted class.
        public let predicted: Int
        /// The name of the predicted class; nil when unknown.
        public let predictedName: String?
        /// The confidence in the wrong class.
        public let confidence: Float
        /// A thumbnail of the picture as a JPEG file; nil unless requested, and for undecodable pictures.
        public internal(set) var thumbnail: Data?
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}

/// The agreement of confidences with accuracy: of the answers with a confidence near 0.8, are 80 % right?
///
/// Answers fall into bins of equal width by the confidence in their first class: bin `i` of `n` holds those in
/// `(i / n, (i + 1) / n]`, the first also 0. The expected calibration error is
///
///     Σ (countᵢ / N) · |correctᵢ / countᵢ − mean confidenceᵢ|
///
/// Source: Guo et al., On Calibration of Modern Neural Networks, https://arxiv.org/abs/1706.04599
public struct Calibration: Sendable, Equatable {
    /// A bin of answers with similar confidence.
    public struct Bin: Sendable, Equatable {
        /// The number of answers.
        public var count = 0
        /// The number of right answers.
        public var correctCount = 0
        /// The sum of the answers' confidences.
        public var confidenceSum = 0.0
        /// The share of right answers.
        public var accuracy: Double? { share(correctCount, count) }
        /// The mean of the answers' confidences.
        public var meanConfidence: Double? { count == 0 ? nil : confidenceSum / Double(count) }
    }

    /// The bins, in rising order of confidence.
    public private(set) var bins: [Bin]

    /// Makes empty bins.
    public init(binCount: Int) { bins = Array(repeating: Bin(), count: max(1, binCount)) }

    /// The expected calibration error; nil without answers.
    public var expectedError: Double? {
        let total = bins.reduce(0) { $0 + $1.count }
        guard total > 0 else { return nil }
        return bins.reduce(0) { $0 + abs(Double($1.correctCount) - $1.confidenceSum) } / Double(total)
    }

    package mutating func add(confidence: Float, isCorrect: Bool) {
        let position = (Double(confidence) * Double(bins.count)).rounded(.up) - 1
        let index = position.isFinite ? min(bins.count - 1, max(0, Int(position))) : 0
        bins[index].count += 1
        bins[index].correctCount += isCorrect ? 1 : 0
        bins[index].confidenceSum += Double(confidence)
    }
}

private func share(_ part: Int, _ whole: Int) -> Double? { whole == 0 ? nil : Double(part) / Double(whole) }

extension Evaluation {
    /// The options of an evaluation.
    public typealias Options = EvaluationOptions
}
