/// The functions that the gates of RNN, GRU and LSTM apply.
package struct RecurrentActivation: Sendable, Equatable {
    package enum Function: String, Sendable, CaseIterable {
        case relu = "Relu"
        case tanh = "Tanh"
        case sigmoid = "Sigmoid"
        case affine = "Affine"
        case leakyRelu = "LeakyRelu"
        case thresholdedRelu = "ThresholdedRelu"
        case scaledTanh = "ScaledTanh"
        case hardSigmoid = "HardSigmoid"
        case elu = "Elu"
        case softsign = "Softsign"
        case softplus = "Softplus"

        /// The default of each parameter that the function has.
        fileprivate var defaults: (alpha: Float?, beta: Float?) {
            switch self {
            case .affine: (1, 0)
            case .leakyRelu: (0.01, nil)
            case .thresholdedRelu, .elu: (1, nil)
            case .scaledTanh: (1, 1)
            case .hardSigmoid: (0.2, 0.5)
            default: (nil, nil)
            }
        }
    }

    package let function: Function
    private let alpha: Float
    private let beta: Float

    /// Takes the function's parameters from the front of the lists, or defaults when the lists are too short.
    init(_ function: Function, alphas: inout ArraySlice<Float>, betas: inout ArraySlice<Float>) {
        self.function = function
        let defaults = function.defaults
        alpha = defaults.alpha.map { alphas.popFirst() ?? $0 } ?? 0
        beta = defaults.beta.map { betas.popFirst() ?? $0 } ?? 0
    }

    /// The function as kernels know it; nil where their table does not have it.
    package var kernelFunction: KernelFunction? {
        switch function {
        case .affine, .thresholdedRelu, .scaledTanh: nil
        default: KernelFunction(function.rawValue, alpha: alpha, beta: beta)
        }
    }

    func callAsFunction(_ x: Double) -> Double {
        switch function {
        case .relu: Relu().apply(x)
        case .tanh: Tanh().apply(x)
        case .sigmoid: Sigmoid().apply(x)
        case .affine: Double(alpha) * x + Double(beta)
        case .leakyRelu: LeakyRelu(alpha: alpha).apply(x)
        case .thresholdedRelu: x >= Double(alpha) ? x : 0
        case .scaledTanh: Double(alpha) * (Double(beta) * x).hyperbolicTangent
        case .hardSigmoid: HardSigmoid(alpha: alpha, beta: beta).apply(x)
        case .elu: Elu(alpha: alpha).apply(x)
        case .softsign: Softsign().apply(x)
        case .softplus: Softplus().apply(x)
        }
    }
}
