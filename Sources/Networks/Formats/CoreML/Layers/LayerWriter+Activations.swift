import Graphs

extension LayerWriter {
    /// The ways to compute a Gaussian error linear unit.
    enum GELU {
        case exact, tanh
        /// x / (1 + e^(−1.702 · x))
        case sigmoid
    }

    mutating func gelu(_ x: Graph.ValueID, _ kind: GELU) throws(FormatError) -> Graph.ValueID {
        switch kind {
        case .exact: return try apply(Gelu(), [x])
        case .tanh: return try apply(Gelu(isApproximate: true), [x])
        case .sigmoid:
            let inside = try apply(Mul(), [x, try constant(1.702)])
            return try apply(Mul(), [x, try apply(Sigmoid(), [inside])])
        }
    }

    /// min(max(x, low), high)
    mutating func clipped(
        _ x: Graph.ValueID, from low: Float, to high: Float
    ) throws(FormatError) -> Graph.ValueID {
        try apply(Clip(), [x, try constant(low), try constant(high)])
    }

    /// alpha · x + beta
    mutating func linear(_ x: Graph.ValueID, alpha: Float, beta: Float) throws(FormatError) -> Graph.ValueID {
        let scaled = try apply(Mul(), [x, try constant(alpha)])
        return try apply(Add(), [scaled, try constant(beta)])
    }

    /// x where it is at least `threshold`, 0 elsewhere.
    mutating func thresholdedReLU(
        _ x: Graph.ValueID, threshold: Float
    ) throws(FormatError) -> Graph.ValueID {
        let isKept = try apply(GreaterOrEqual(), [x, try constant(threshold)])
        return try apply(Where(), [isKept, x, try constant(0)])
    }

    /// alpha · tanh(beta · x)
    mutating func scaledTanh(_ x: Graph.ValueID, alpha: Float, beta: Float) throws(FormatError) -> Graph.ValueID {
        let inside = try apply(Mul(), [x, try constant(beta)])
        return try apply(Mul(), [try apply(Tanh(), [inside]), try constant(alpha)])
    }

    /// min(x, beta) where x is positive, min(alpha · x, beta) elsewhere.
    mutating func clampedReLU(_ x: Graph.ValueID, alpha: Float, beta: Float) throws(FormatError) -> Graph.ValueID {
        try apply(Min(), [try apply(LeakyRelu(alpha: alpha), [x]), try constant(beta)])
    }
}
