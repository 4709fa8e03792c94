import Tensors

/// A function applied to each element after an operator's own arithmetic, fused into its store.
package enum Activation: Sendable, Hashable {
    /// max(x, 0)
    case relu
    /// min(max(x, low), high)
    case clip(low: Float, high: Float)
    /// x where x ≥ 0, otherwise slope · x
    case leakyRelu(slope: Float)

    /// The function's value.
    package func callAsFunction(_ x: Double) -> Double {
        switch self {
        case .relu: x > 0 || x.isNaN ? x : 0
        case .clip(let low, let high): x.isNaN ? x : Swift.min(Swift.max(x, Double(low)), Double(high))
        case .leakyRelu(let slope): x >= 0 || x.isNaN ? x : Double(slope) * x
        }
    }
}

extension Activation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .relu: "Relu"
        case .clip(let low, let high): "Clip(\(low), \(high))"
        case .leakyRelu(let slope): "LeakyRelu(\(slope))"
        }
    }
}

/// An operator that can apply an activation to its result before it is stored.
package protocol ActivationFusing: Operator {
    /// The activation applied last, when there is one.
    var activation: Activation? { get set }
}
