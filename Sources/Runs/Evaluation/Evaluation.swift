import Foundation

/// How well predictions agree with labels.
///
///     let evaluation = try await classifier.evaluate(.imageFolder("photos"))
///     print(evaluation.top1 ?? 0, evaluation.calibration.expectedError ?? 0)
///
/// Figures are shares from 0 to 1, and nil where nothing was counted.
public struct Evaluation: Sendable {
    /// The pictures that were predicted and have a label.
    public var imageCount = 0
    /// The records without an answer, such as damaged pictures; they are in no other figure.
    public var failedCount = 0
    /// The records without a label; they are in no other figure.
    public var unlabelledCount = 0
    /// The records whose label is no class, where these are left out; they are in no other figure.
    public var unknownLabelCount = 0
    /// The pictures whose class has the most confidence.
    public var top1Count = 0
    /// The pictures whose class is among the five with the most confidence.
    public var top5Count = 0
    /// Of all pictures, the share whose class has the most confidence: the accuracy.
    public var top1: Double? { share(top1Count, imageCount) }
    /// Of all pictures, the share whose class is among the five with the most confidence.
    public var top5: Double? { share(top5Count, imageCount) }
    /// The mean precision of ``classes``; those without one count as 0.
    public var meanPrecision: Double? { Self.mean(classes.map { $0.precision ?? 0 }) }
    /// The mean recall of ``classes``; those without one count as 0.
    public var meanRecall: Double? { Self.mean(classes.map { $0.recall ?? 0 }) }
    /// Every class that is the label of a picture or was predicted, by index.
    public var classes: [ClassResult] = []
    /// Which class was taken for which, most frequent first.
    public var confusions: [Confusion] = []
    /// How far confidences are from the shares that were right.
    public var calibration = Calibration(binCount: 15)
    /// The wrong answers with the most confidence, most first.
    public var worstMistakes: [Mistake] = []

    /// The results of one class.
    public struct ClassResult: Sendable, Equatable {
        /// The class's position in the network's output.
        public let index: Int
        /// The class's name, when known.
        public let name: String?
        /// The pictures that belong to the class.
        public let imageCount: Int
        /// The pictures that were taken for it.
        public let predictedCount: Int
        /// Those that were, rightly.
        public let correctCount: Int
        /// Of the pictures taken for the class, the share that belongs to it.
        public var precision: Double? { share(correctCount, predictedCount) }
        /// Of the pictures that belong to the class, the share that was taken for it.
        public var recall: Double? { share(correctCount, imageCount) }
    }

    /// A class that was taken for another.
    public struct Confusion: Sendable, Equatable {
        /// The class of the pictures.
        public let actual: Int
        /// The name of their class.
        public let actualName: String?
        /// The class that they were taken for.
        public let predicted: Int
        /// Its name.
        public let predictedName: String?
        /// How many.
        public let count: Int
    }

    /// A wrong answer.
    public struct Mistake: Sendable, Equatable {
        /// The record.
        public let id: String
        /// The class that the picture belongs to.
        public let actual: Int
        /// The name of that class.
        public let actualName: String?
        /// The class that it was taken for.
        public let predicted: Int
        /// Its name.
        public let predictedName: String?
        /// The confidence in the wrong class.
        public let confidence: Float
        /// The picture as a small JPEG file, where that was asked for and it can be decoded.
        public internal(set) var thumbnail: Data?
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}

/// Whether confidences mean what they say: of the pictures answered with a confidence near 0.8, are 80 % right?
///
/// Answers fall into bins of equal width by the confidence in their first class: bin `i` of `n` holds those in
/// `(i / n, (i + 1) / n]`, the first also 0. The expected calibration error is
///
///     Σ (countᵢ / N) · |correctᵢ / countᵢ − mean confidenceᵢ|
///
/// Source: Guo et al., On Calibration of Modern Neural Networks, https://arxiv.org/abs/1706.04599
public struct Calibration: Sendable, Equatable {
    /// The answers of similar confidence.
    public struct Bin: Sendable, Equatable {
        /// How many.
        public var count = 0
        /// How many of them are right.
        public var correctCount = 0
        /// The sum of their confidences.
        public var confidenceSum = 0.0
        /// The share that is right.
        public var accuracy: Double? { share(correctCount, count) }
        /// The mean of their confidences.
        public var meanConfidence: Double? { count == 0 ? nil : confidenceSum / Double(count) }
    }

    /// The bins, by confidence.
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
