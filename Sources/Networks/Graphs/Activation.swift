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

    /// The activation that an operator computes; nil when it may not be an epilogue.
    package init?(_ operation: any ElementwiseUnary) {
        switch operation {
        case is Relu: self = .relu
        case let leaky as LeakyRelu: self = .leakyRelu(slope: leaky.alpha)
        case let hard as HardSigmoid: self = .hardSigmoid(alpha: hard.alpha, beta: hard.beta)
        case is HardSwish: self = .hardSwish
        case is Sigmoid: self = .sigmoid
        case let swish as Swish where swish.alpha == 1: self = .swish
        case let gelu as Gelu: self = .gelu(isApproximate: gelu.isApproximate)
        default: return nil
        }
    }

    /// The operator that does the same; nil of ``clip(low:high:)``, which is an operator of three inputs.
    package var operation: (any ElementwiseUnary)? {
        switch self {
        case .relu: Relu()
        case .clip: nil
        case .leakyRelu(let slope): LeakyRelu(alpha: slope)
        case .hardSigmoid(let alpha, let beta): HardSigmoid(alpha: alpha, beta: beta)
        case .hardSwish: HardSwish()
        case .sigmoid: Sigmoid()
        case .swish: Swish()
        case .gelu(let isApproximate): Gelu(isApproximate: isApproximate)
        }
    }

    /// The function as kernels know it.
    package var kernelFunction: KernelFunction {
        switch self {
        case .clip(let low, let high): KernelFunction("Clip", alpha: low, beta: high)
        case .swish: KernelFunction("SiLU")
        default: operation?.kernelFunction ?? KernelFunction("")
        }
    }

    /// The function's value.
    package func callAsFunction(_ x: Double) -> Double {
        if case .clip(let low, let high) = self { return x.clipped(Double(low), Double(high)) }
        return operation?.apply(x) ?? x
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
