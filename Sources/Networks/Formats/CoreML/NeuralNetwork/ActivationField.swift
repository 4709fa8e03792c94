import Graphs

/// The functions of activations and gates, by their fields in the message of an activation.
enum ActivationField: Int, MessageField {
    case linear = 5
    case relu = 10
    case leakyReLU = 15
    case thresholdedReLU = 20
    case prelu = 25
    case tanh = 30
    case scaledTanh = 31
    case sigmoid = 40
    case hardSigmoid = 41
    case elu = 50
    case softsign = 60
    case softplus = 70
    case parametricSoftplus = 71

    /// The function as a gate of a recurrent layer, and the number of its parameters in the file; nil where gates
    /// cannot have it.
    var gateFunction: (function: RecurrentActivation.Function, parameterCount: Int)? {
        switch self {
        case .linear: (.affine, 2)
        case .relu: (.relu, 0)
        case .leakyReLU: (.leakyRelu, 1)
        case .thresholdedReLU: (.thresholdedRelu, 1)
        case .tanh: (.tanh, 0)
        case .scaledTanh: (.scaledTanh, 2)
        case .sigmoid: (.sigmoid, 0)
        case .hardSigmoid: (.hardSigmoid, 2)
        case .elu: (.elu, 1)
        case .softsign: (.softsign, 0)
        case .softplus: (.softplus, 0)
        case .prelu, .parametricSoftplus: nil
        }
    }
}
