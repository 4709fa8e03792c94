import Datasets
import Platform
import Predicting

/// A comparison of texts that were read in pictures with the true ones.
///
///     let truth = try TextTruth(contentsOf: "texts.csv")
///     let evaluation = try await recognizer.evaluate(.imageFolder("pages"), against: truth)
///     print(evaluation.rate.value ?? 0)
///
/// Line breaks and several spaces count as one space, and those at the ends do not count: where lines end is a matter
/// of the page.
public struct TextEvaluation: Sendable {
    /// A picture whose text was read wrongly.
    public struct Mistake: Sendable, Equatable {
        /// The picture's id.
        public let id: String
        /// The text that was read.
        public let text: String
        /// The true text.
        public let actual: String
        /// The number of insertions, deletions and replacements.
        public let errorCount: Int
    }

    /// The errors of all texts.
    public private(set) var rate = CharacterErrorRate()
    /// The pictures with the most errors, the worst first.
    public private(set) var mistakes: [Mistake] = []
    /// The number of pictures without an answer.
    public internal(set) var failedCount = 0
    /// The number of pictures whose text is not known.
    public internal(set) var unmarkedCount = 0

    private let mistakeCount: Int

    /// Makes an evaluation of no pictures.
    ///
    /// - Parameter mistakeCount: The maximum number of ``mistakes``.
    public init(mistakeCount: Int = 24) { self.mistakeCount = mistakeCount }

    /// Adds a picture.
    public mutating func add(_ text: String, actual: String, id: String) {
        let (text, actual) = (Self.words(text), Self.words(actual))
        let before = rate.errorCount
        rate.add(text, actual: actual)
        let mistake = Mistake(id: id, text: text, actual: actual, errorCount: rate.errorCount - before)
        guard mistake.errorCount > 0 else { return }
        let place = mistakes.firstIndex { $0.errorCount < mistake.errorCount } ?? mistakes.count
        mistakes.insert(mistake, at: place)
        if mistakes.count > mistakeCount { mistakes.removeLast() }
    }

    /// The words with one space between them.
    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Reads every picture whose text is known, and compares.
    ///
    /// - Parameter predictor: What finds or reads text.
    /// - Throws: ``ApusError/usage(_:)`` when the text of no picture is known; otherwise the errors of predictions.
    package init(
        of predictor: some TaskPredictor, on dataset: any Dataset, against truth: TextTruth,
        options: EvaluationOptions, progress: (RunProgress) -> Void
    ) async throws {
        self.init(mistakeCount: options.mistakeCount)
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in truth.text(of: record.id) }
        var done = 0
        for try await record in BatchRunner(AnyPredictor(predictor), options: .init(batch: options.batch)).predictions(
            over: marked)
        {
            let actual = try marked.takeFirst().truth
            done += 1
            switch record.text {
            case .failure: failedCount += 1
            case .success(let text): add(text.string, actual: actual, id: record.id)
            }
            progress(RunProgress(total: nil, succeeded: done - failedCount, failed: failedCount, resumed: 0))
        }
        guard done > 0 else {
            throw ApusError.usage("the text of no picture is known; names of files must agree with those of the list")
        }
        unmarkedCount = marked.unmarkedCount
    }
}

extension TextEvaluation: Encodable {
    private enum Key: String, CodingKey {
        case pictures, failed, unmarked, characters, errors, characterErrorRate, right, mistakes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(rate.textCount, forKey: .pictures)
        try container.encode(failedCount, forKey: .failed)
        try container.encode(unmarkedCount, forKey: .unmarked)
        try container.encode(rate.characterCount, forKey: .characters)
        try container.encode(rate.errorCount, forKey: .errors)
        try container.encode(rate.value, forKey: .characterErrorRate)
        try container.encode(rate.rightCount, forKey: .right)
        try container.encode(mistakes, forKey: .mistakes)
    }
}

extension TextEvaluation.Mistake: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, text, actual
        case errorCount = "errors"
    }
}
