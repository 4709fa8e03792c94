/// Keeps the best of boxes that overlap too much to be different things.
///
/// Boxes are gone through by falling confidence (of equal ones, in their order); one is kept unless its intersection over
/// union with a kept one is above the threshold.
public struct NonMaximumSuppression: Sendable, Equatable {
    /// The most that two kept boxes overlap: area of the intersection ÷ area of the union.
    public var threshold: Float
    /// Whether boxes of different classes suppress each other as well.
    public var isClassAgnostic: Bool
    /// How many boxes are kept at most.
    public var maximumCount: Int

    /// How many boxes are looked at, those with the most confidence: the work grows with their square.
    static let mostCandidates = 3000

    /// Makes a suppression.
    public init(threshold: Float = 0.45, isClassAgnostic: Bool = false, maximumCount: Int = 100) {
        self.threshold = threshold
        self.isClassAgnostic = isClassAgnostic
        self.maximumCount = maximumCount
    }

    /// The boxes that are kept, by falling confidence.
    package func callAsFunction(_ candidates: [ObjectCandidate]) -> [ObjectCandidate] {
        var kept: [ObjectCandidate] = []
        for candidate in candidates.byFallingConfidence.prefix(Self.mostCandidates) where candidate.isSound {
            if kept.count >= maximumCount { break }
            let isSuppressed = kept.contains { other in
                (isClassAgnostic || other.classIndex == candidate.classIndex)
                    && other.intersectionOverUnion(with: candidate) > threshold
            }
            if !isSuppressed { kept.append(candidate) }
        }
        return kept
    }
}

extension [ObjectCandidate] {
    /// The candidates with the most confidence first; equal ones in their order.
    var byFallingConfidence: [ObjectCandidate] {
        enumerated().sorted { ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset) }.map(\.element)
    }
}
