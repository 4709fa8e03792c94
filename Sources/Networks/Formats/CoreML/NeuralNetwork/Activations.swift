import Graphs

extension LayerKind {
    /// The weights of PReLU and of a parametric softplus.
    private enum WeightField: Int, MessageField {
        case alpha = 1, beta
    }

    /// A function of each element. The field that holds its parameters determines its kind.
    static func activation(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let input = try network.input(layer)
        try network.output(layer, try activation(layer.parameters, of: input, network))
    }

    private static func activation(
        _ message: CoreMLMessage, of x: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        guard let number = message.fields.last?.number else { throw .invalid("names no function") }
        let inner = try message.message(number)
        func weights(_ field: WeightField) throws(FormatError) -> Graph.ValueID {
            try perChannel(try CoreMLWeights(try inner.message(field)), like: x, network)
        }
        switch ActivationField(rawValue: number) {
        case .prelu: return try network.writer.apply(PRelu(), [x, try weights(.alpha)])
        case .parametricSoftplus:
            let inside = try network.writer.apply(Mul(), [x, try weights(.beta)])
            let bent = try network.writer.apply(Softplus(), [inside])
            return try network.writer.apply(Mul(), [bent, try weights(.alpha)])
        case let field?: return try activation(field, try inner.decode(), of: x, network)
        case nil: throw .unsupported("activation \(number) is not known")
        }
    }

    /// A function whose parameters are numbers.
    private static func activation(
        _ field: ActivationField, _ p: CoreMLActivationParameters, of x: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        switch field {
        case .linear: try network.writer.linear(x, alpha: p.alpha, beta: p.beta)
        case .relu: try network.writer.apply(Relu(), [x])
        case .leakyReLU: try network.writer.apply(LeakyRelu(alpha: p.alpha), [x])
        case .thresholdedReLU: try network.writer.thresholdedReLU(x, threshold: p.alpha)
        case .tanh: try network.writer.apply(Tanh(), [x])
        case .scaledTanh: try network.writer.scaledTanh(x, alpha: p.alpha, beta: p.beta)
        case .sigmoid: try network.writer.apply(Sigmoid(), [x])
        case .hardSigmoid: try network.writer.apply(HardSigmoid(alpha: p.alpha, beta: p.beta), [x])
        case .elu: try network.writer.apply(Elu(alpha: p.alpha), [x])
        case .softsign: try network.writer.apply(Softsign(), [x])
        case .softplus: try network.writer.apply(Softplus(), [x])
        case .prelu, .parametricSoftplus: throw .invalid("its weights are missing")
        }
    }

    /// One weight, or one per channel, in a shape that broadcasts to `x`.
    private static func perChannel(
        _ weights: CoreMLWeights, like x: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let shape = try network.shape(x)
        let axis = try network.channelAxis(x)
        guard axis < shape.count else { throw .invalid("its input \(shape) has no channels") }
        let trailing = [Int](repeating: 1, count: shape.count - axis - 1)
        do throws(FormatError) {
            return network.writer.constant(try weights.tensor(shape: [shape[axis]] + trailing), "weights")
        } catch {
            guard let single = try? weights.tensor(shape: [1]) else { throw error }
            return network.writer.constant(single, "weights")
        }
    }

    static func clampedReLU(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLActivationParameters.self)
        try network.output(
            layer, try network.writer.clampedReLU(try network.input(layer), alpha: p.alpha, beta: p.beta))
    }

    static func gelu(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let modes: [Int64: LayerWriter.GELU] = [0: .exact, 1: .tanh, 2: .sigmoid]
        let x = try network.input(layer)
        guard let kind = modes[try layer.decode(CoreMLShapeParameters.self).shape.first ?? 0] else {
            throw .unsupported("this mode of GELU is not known")
        }
        try network.output(layer, try network.writer.gelu(x, kind))
    }
}
