import Models

extension NonMaximumSuppression {
    /// The boxes and points that are means of those that overlap too much, weighted by their confidence, in the place
    /// of the best of them. Each box belongs to the first that it overlaps with.
    ///
    /// Source: `WeightedNonMaxSuppression` in `non_max_suppression_calculator.cc` of
    /// https://github.com/google-ai-edge/mediapipe
    package func weighted(_ candidates: [ObjectCandidate]) -> [ObjectCandidate] {
        var rest = Array(candidates.filter(\.isSound).byFallingConfidence.prefix(Self.maximumCandidateCount))
        var kept: [ObjectCandidate] = []
        while let best = rest.first, kept.count < maximumCount {
            func overlaps(_ candidate: ObjectCandidate) -> Bool {
                (isClassAgnostic || candidate.classIndex == best.classIndex)
                    && candidate.intersectionOverUnion(with: best) > threshold
            }
            // With a threshold of 1 a box does not overlap with itself.
            kept.append(best.mean(of: rest.filter(overlaps)))
            rest = rest.dropFirst().filter { !overlaps($0) }
        }
        return kept
    }
}

extension ObjectCandidate {
    /// The candidate with the edges and points that are means of those of others, weighted by their confidence.
    fileprivate func mean(of others: [ObjectCandidate]) -> ObjectCandidate {
        let total = others.reduce(0) { $0 + $1.confidence }
        guard total > 0, others.allSatisfy({ $0.points.count == points.count }) else { return self }
        func mean(_ number: (ObjectCandidate) -> Float) -> Float {
            others.reduce(0) { $0 + number($1) * $1.confidence } / total
        }
        var candidate = self
        (candidate.left, candidate.right) = (mean(\.left), mean(\.right))
        (candidate.top, candidate.bottom) = (mean(\.top), mean(\.bottom))
        candidate.points = points.indices.map { index in
            others.reduce(SIMD2()) { $0 + $1.points[index] * $1.confidence } / total
        }
        return candidate
    }
}
