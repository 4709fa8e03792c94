/// Winograd's F(m, r) along one axis over the points 0, ±p₀, …, ∞: the macros of `winograd.cl` and the matrix G.
struct WinogradPoints: Sendable, Hashable {
    /// Pairs of points ±p; none for an axis that is not transformed.
    let pairs: Int
    /// m, of r taps.
    let outputs: Int
    let taps: Int

    /// m + r − 1.
    var inputs: Int { pairs == 0 ? 1 : 2 * pairs + 2 }

    /// Reciprocal pairs, which keep the powers of points near 1.
    private var points: [Double] {
        switch pairs {
        case 0: []
        case 1: [1]
        case 2: [0.625, 1.6]
        default: [0.5, 1, 2]
        }
    }

    /// G, by rows: row ±pᵢ is (±pᵢ)ᵏ / Nᵢ for tap k, with Nᵢ = 2 pᵢ² Π (pᵢ² − p_l²).
    var filterMatrix: [[Double]] {
        guard pairs > 0 else { return [[1]] }
        let unit = [Double](repeating: 0, count: taps - 1)
        var rows = [[1 / points.reduce(1) { -$0 * $1 * $1 }] + unit]
        for point in points {
            let others = points.filter { $0 != point }
            let denominator = others.reduce(2 * point * point) { $0 * (point * point - $1 * $1) }
            for signed in [point, -point] {
                var power = 1 / denominator
                rows.append(
                    (0..<taps).map { _ in
                        defer { power *= signed }
                        return power
                    })
            }
        }
        return rows + [unit + [1]]
    }
}
