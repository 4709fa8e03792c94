import Inference

extension NonMaximumSuppression {
    /// The maximum number of boxes that are compared, those with the most confidence: the work grows with the square.
    static let maximumCandidateCount = 3000

    /// The boxes that are kept, by falling confidence.
    package func callAsFunction(_ candidates: [ObjectCandidate]) -> [ObjectCandidate] {
        var kept: [ObjectCandidate] = []
        for candidate in candidates.byFallingConfidence.prefix(Self.maximumCandidateCount) where candidate.isSound {
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
    /// The candidates by falling confidence; equal ones stay in their order.
    var byFallingConfidence: [ObjectCandidate] {
        enumerated().sorted { ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset) }.map(\.element)
    }
}
