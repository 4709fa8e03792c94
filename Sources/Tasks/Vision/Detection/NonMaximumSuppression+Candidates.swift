import Models

extension NonMaximumSuppression {
    /// The maximum number of boxes that are compared, those with the most confidence: the work grows with the square.
    static let maximumCandidateCount = 3000

    /// The boxes that are kept, by falling confidence.
    package func callAsFunction(_ candidates: [ObjectCandidate]) -> [ObjectCandidate] {
        positions(in: candidates).map { candidates[$0] }
    }

    /// The positions of the boxes that are kept, by falling confidence.
    package func positions(in candidates: [ObjectCandidate]) -> [Int] {
        let order = candidates.orderOfConfidence.prefix(Self.maximumCandidateCount).filter { candidates[$0].isSound }
        let rotated = candidates.compactMap(\.rotated)
        if !rotated.isEmpty, rotated.count == candidates.count {
            return positions(ofRotated: rotated, candidates, order)
        }
        var kept: [Int] = []
        for position in order {
            if kept.count >= maximumCount { break }
            let candidate = candidates[position]
            let isSuppressed = kept.contains { other in
                (isClassAgnostic || candidates[other].classIndex == candidate.classIndex)
                    && candidates[other].intersectionOverUnion(with: candidate) > threshold
            }
            if !isSuppressed { kept.append(position) }
        }
        return kept
    }
}

extension [ObjectCandidate] {
    /// The candidates by falling confidence; equal ones stay in their order.
    var byFallingConfidence: [ObjectCandidate] { orderOfConfidence.map { self[$0] } }

    /// The positions of the candidates by falling confidence; equal ones stay in their order.
    fileprivate var orderOfConfidence: [Int] {
        enumerated().sorted { ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset) }.map(\.offset)
    }
}
