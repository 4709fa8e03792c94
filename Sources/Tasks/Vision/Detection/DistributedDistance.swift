import Glibc

/// Distances from a point to the edges of a box, whose distributions a network gives (distribution focal loss).
///
///     distance = Σ bin · softmax(logits)
///
/// Source: https://arxiv.org/abs/2006.04388
enum DistributedDistance {
    /// The mean of 0, 1, 2, … with the weights softmax(logits).
    static func mean(_ logits: ArraySlice<Float>) -> Float {
        let largest = logits.max() ?? 0
        var (sum, weighted) = (Float(0), Float(0))
        for (bin, logit) in logits.enumerated() {
            let weight = exp(logit - largest)
            sum += weight
            weighted += weight * Float(bin)
        }
        return weighted / sum
    }
}
