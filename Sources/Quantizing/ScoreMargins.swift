import Foundation

/// How far rounding moves the best score of pictures from the second.
package struct ScoreMargins {
    /// How many pictures keep their best class.
    package private(set) var agreementCount = 0
    /// The part of such pictures that is expected to keep its best class.
    ///
    /// With margins mᵢ between the two best scores, which rounding moves by a standard deviation σ: the mean of Φ(mᵢ / σ),
    /// Φ being the normal distribution.
    package let expectedAgreement: Double

    /// - Parameters:
    ///   - scores: The scores of every picture.
    ///   - rounded: Those of the network with rounded numbers.
    package init(_ scores: [[Float]], rounded: [[Float]]) {
        var margins: [Double] = []
        var sum = 0.0
        for (scores, rounded) in zip(scores, rounded) where scores.count == rounded.count {
            guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }) else { continue }
            if best == rounded.indices.max(by: { rounded[$0] < rounded[$1] }) { agreementCount += 1 }
            guard let second = scores.indices.filter({ $0 != best }).max(by: { scores[$0] < scores[$1] }) else {
                continue
            }
            let isProbability = scores.allSatisfy { (0...1).contains($0) }
            func margin(_ scores: [Float]) -> Double {
                let (a, b) = (Double(scores[best]), Double(scores[second]))
                return isProbability ? log(max(a, 1e-30)) - log(max(b, 1e-30)) : a - b
            }
            margins.append(margin(scores))
            let change = margin(rounded) - margin(scores)
            sum += change.isFinite ? change * change : .infinity
        }
        let deviation = (sum / Double(max(margins.count, 1))).squareRoot()
        let kept = margins.map { deviation > 0 ? erfc(-$0 / deviation / 2.squareRoot()) / 2 : 1 }
        expectedAgreement = kept.isEmpty ? 1 : kept.reduce(0, +) / Double(kept.count)
    }
}
