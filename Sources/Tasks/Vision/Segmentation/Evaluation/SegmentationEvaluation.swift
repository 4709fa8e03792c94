import Images

/// How well the classes of pixels agree with masks that people made.
///
/// The intersection over union of a class is the number of pixels that both have ÷ the number that either has. Pixels
/// whose true number is the ignored one are left out.
public struct SegmentationEvaluation: Sendable {
    /// The figures of a class.
    public struct ClassResult: Sendable, Equatable {
        /// The class's number in masks.
        public let index: Int
        /// The class's name, when known.
        public let name: String?
        /// The number of pixels of the class.
        public let pixelCount: Int
        /// The number of pixels that were predicted as the class.
        public let predictedCount: Int
        /// The number of pixels of the class that were predicted as it.
        public let correctCount: Int
        /// Intersection over union, |A ∩ B| ÷ |A ∪ B|; nil where the union is empty.
        public var intersectionOverUnion: Double? {
            let union = pixelCount + predictedCount - correctCount
            return union > 0 ? Double(correctCount) / Double(union) : nil
        }
        /// The share of the class's pixels that were predicted as it; nil without pixels.
        public var accuracy: Double? { pixelCount > 0 ? Double(correctCount) / Double(pixelCount) : nil }
    }

    /// The number in masks of pixels that are left out.
    public let ignoredNumber: Int?
    /// The number of pictures that were compared.
    public internal(set) var pictureCount = 0
    /// The number of pictures without an answer. No figure includes them.
    public internal(set) var failedCount = 0
    /// The number of pictures without a mask. No figure includes them.
    public internal(set) var unmarkedCount = 0
    /// The numbers of pixels by true class and predicted class.
    private var counts: [Pair: Int] = [:]
    private let names: [Int: String]

    /// The predicted class of pixels that a network did not see. It is no class of its own.
    public static let unseenNumber = -1

    private struct Pair: Hashable {
        let actual: Int
        let predicted: Int
    }

    /// Makes an evaluation of no pictures.
    ///
    /// - Parameters:
    ///   - names: The names of classes by their numbers.
    ///   - ignoring: The number in masks of pixels that are left out.
    public init(names: [Int: String] = [:], ignoring number: Int? = 255) {
        (self.names, ignoredNumber) = (names, number)
    }

    /// Adds a picture.
    ///
    /// - Parameters:
    ///   - predicted: The predicted class of each pixel.
    ///   - actual: The true class of each pixel, in the same order.
    /// - Precondition: Both have the same number of pixels; of others, the common part is compared.
    public mutating func add(predicted: [Int], actual: [Int]) {
        var last = Pair(actual: -1, predicted: -1)
        var run = 0
        for (actual, predicted) in zip(actual, predicted) where actual != ignoredNumber {
            let pair = Pair(actual: actual, predicted: predicted)
            if pair != last {
                if run > 0 { counts[last, default: 0] += run }
                (last, run) = (pair, 0)
            }
            run += 1
        }
        if run > 0 { counts[last, default: 0] += run }
        pictureCount += 1
    }

    /// The classes that masks or predictions have, by their numbers.
    public var classes: [ClassResult] {
        var (actual, predicted, correct) = ([Int: Int](), [Int: Int](), [Int: Int]())
        for (pair, count) in counts {
            actual[pair.actual, default: 0] += count
            predicted[pair.predicted, default: 0] += count
            if pair.actual == pair.predicted { correct[pair.actual, default: 0] += count }
        }
        return Set(actual.keys).union(predicted.keys).subtracting([Self.unseenNumber]).sorted().map { index in
            ClassResult(
                index: index, name: names[index], pixelCount: actual[index] ?? 0, predictedCount: predicted[index] ?? 0,
                correctCount: correct[index] ?? 0)
        }
    }

    /// The number of pixels that were compared.
    public var pixelCount: Int { counts.values.reduce(0, +) }

    /// The share of pixels whose class is right; nil without pixels.
    public var pixelAccuracy: Double? {
        let right = counts.filter { $0.key.actual == $0.key.predicted }.values.reduce(0, +)
        return pixelCount > 0 ? Double(right) / Double(pixelCount) : nil
    }

    /// The mean intersection over union of ``classes``; nil without any.
    public var meanIntersectionOverUnion: Double? {
        let values = classes.compactMap(\.intersectionOverUnion)
        return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}
