import Glibc

/// The changes that rounding causes in the margin between the two best scores of pictures.
package struct ScoreMargins {
    /// The number of pictures that keep their best class.
    package private(set) var agreementCount = 0
    /// The expected share of similar pictures that keep their best class.
    ///
    /// It is the mean of Φ(mᵢ / σ). mᵢ are the margins between the two best scores, σ is the standard deviation of
    /// their changes, and Φ is the normal distribution function.
    package let expectedAgreement: Double

    /// Pictures whose scores are not finite are left out. A picture whose rounded scores alone are not finite is lost.
    ///
    /// - Parameters:
    ///   - scores: The scores of every picture.
    ///   - rounded: The scores of the quantized network.
    package init(_ scores: [[Float]], rounded: [[Float]]) {
        var margins: [Double] = []
        var sum = 0.0
        var lostCount = 0
        for (scores, rounded) in zip(scores, rounded)
        where scores.count == rounded.count && scores.allSatisfy(\.isFinite) {
            guard rounded.allSatisfy(\.isFinite) else {
                lostCount += 1
                continue
            }
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
        let count = kept.count + lostCount
        expectedAgreement = count == 0 ? 1 : kept.reduce(0, +) / Double(count)
    }
}
