import Tensors

/// Winograd's F(m, r) along one axis over the points 0, ±p₀, …, ∞: the macros of `winograd.cl` and the matrix G.
struct WinogradPoints: Sendable, Hashable {
    /// The number of pairs of points ±p; 0 for an axis that is not transformed.
    let pairs: Int
    /// m, the number of outputs of r taps.
    let outputs: Int
    let taps: Int

    /// The number of inputs, m + r − 1.
    var inputs: Int { pairs == 0 ? 1 : 2 * pairs + 2 }

    /// Pairs with reciprocal values, which keep the powers of points near 1.
    private var points: [Double] {
        switch pairs {
        case 0: []
        case 1: [1]
        case 2: [0.625, 1.6]
        default: [0.5, 1, 2]
        }
    }

    /// The rows of G. Row ±pᵢ is (±pᵢ)ᵏ / Nᵢ for tap k, with Nᵢ = 2 pᵢ² Π (pᵢ² − p_l²).
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

extension WinogradPoints {
    /// Computes G g Gᵗ of filters `[M, C, kh, kw]` as `[product][C][M]`, with rows padded to `paddedOutputs` by zeros.
    /// Sums are in double precision and rounded once.
    static func transform(
        _ filters: Tensor, rows: WinogradPoints, columns: WinogradPoints, paddedOutputs: Int
    ) throws -> Tensor {
        let (outputs, channels) = (filters.shape[0], filters.shape[1])
        let taps = try filters.transposed([2, 3, 1, 0]).elements(as: Float.self)
        let plane = channels * outputs
        var packed = [Float](repeating: 0, count: rows.inputs * columns.inputs * channels * paddedOutputs)
        var sums = [Double](repeating: 0, count: plane)
        for (y, row) in rows.filterMatrix.enumerated() {
            for (x, column) in columns.filterMatrix.enumerated() {
                for index in sums.indices { sums[index] = 0 }
                for (i, rowWeight) in row.enumerated() where rowWeight != 0 {
                    for (j, columnWeight) in column.enumerated() where columnWeight != 0 {
                        let (weight, start) = (rowWeight * columnWeight, (i * columns.taps + j) * plane)
                        for index in 0..<plane { sums[index] += weight * Double(taps[start + index]) }
                    }
                }
                let start = (y * columns.inputs + x) * channels * paddedOutputs
                for index in 0..<plane {
                    packed[start + index / outputs * paddedOutputs + index % outputs] = Float(sums[index])
                }
            }
        }
        return try Tensor(packed, shape: [packed.count])
    }
}
