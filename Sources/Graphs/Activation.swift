import Tensors

/// A function applied to each element after an operator's own arithmetic, fused into its store.
package enum Activation: Sendable, Hashable {
    /// max(x, 0)
    case relu
    /// min(max(x, low), high)
    case clip(low: Float, high: Float)
    /// x where x ≥ 0, otherwise slope · x
    case leakyRelu(slope: Float)
    /// max(0, min(1, alpha · x + beta))
    case hardSigmoid(alpha: Float, beta: Float)
    /// x · max(0, min(1, x/6 + 1/2))
    case hardSwish
    /// 1 / (1 + e^−x)
    case sigmoid
    /// x / (1 + e^−x)
    case swish
    /// x/2 · (1 + erf(x / √2)), or its approximation by tanh
    case gelu(isApproximate: Bool)

    /// The function's value.
    package func callAsFunction(_ x: Double) -> Double {
        switch self {
        case .relu: x > 0 || x.isNaN ? x : 0
        case .clip(let low, let high): x.isNaN ? x : Swift.min(Swift.max(x, Double(low)), Double(high))
        case .leakyRelu(let slope): x >= 0 || x.isNaN ? x : Double(slope) * x
        case .hardSigmoid(let alpha, let beta): HardSigmoid(alpha: alpha, beta: beta).apply(x)
        case .hardSwish: HardSwish().apply(x)
        case .sigmoid: Sigmoid().apply(x)
        case .swish: Swish().apply(x)
        case .gelu(let isApproximate): Gelu(isApproximate: isApproximate).apply(x)
        }
    }

    /// The single activation that equals this one followed by `next`; nil when there is none.
    package func followed(by next: Activation) -> Activation? {
        guard let (low, high) = bounds, let (nextLow, nextHigh) = next.bounds, low <= high else { return nil }
        // min(max(min(max(x, low), high), nextLow), nextHigh)
        let joined = (low: Swift.max(low, nextLow), high: Swift.min(Swift.max(high, nextLow), nextHigh))
        if joined == (0, .infinity) { return .relu }
        return .clip(low: joined.low, high: joined.high)
    }

    /// The bounds of a function that only clips to them; nil for other functions.
    private var bounds: (low: Float, high: Float)? {
        switch self {
        case .relu: (0, .infinity)
        case .clip(let low, let high): (low, high)
        default: nil
        }
    }

    /// Whether no result is below 0.
    package var isNonnegative: Bool {
        switch self {
        case .hardSigmoid, .sigmoid: true
        default: bounds.map { Swift.min($0.low, $0.high) >= 0 } ?? false
        }
    }
}

extension Activation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .relu: "Relu"
        case .clip(let low, let high): "Clip(\(low), \(high))"
        case .leakyRelu(let slope): "LeakyRelu(\(slope))"
        case .hardSigmoid(let alpha, let beta): "HardSigmoid(\(alpha), \(beta))"
        case .hardSwish: "HardSwish"
        case .sigmoid: "Sigmoid"
        case .swish: "Swish"
        case .gelu(let isApproximate): isApproximate ? "Gelu(tanh)" : "Gelu"
        }
    }
}

/// An operator that can apply an activation to its result before it is stored.
package protocol ActivationFusing: Operator {
    /// The activation applied last, when there is one.
    var activation: Activation? { get set }
}
