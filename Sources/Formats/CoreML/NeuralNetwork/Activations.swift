import Graphs

extension LayerKind {
    /// A function of each element; its kind is the field that the parameters have.
    static func activation(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let input = try network.input(layer)
        try network.output(layer, try activation(layer.parameters, of: input, network))
    }

    private static func activation(
        _ message: CoreMLMessage, of x: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        guard let field = message.fields.last else { throw .invalid("names no function") }
        let inner = try message.message(field.number)
        // Of PReLU and parametric softplus these are weights.
        let hasWeights = field.number == 25 || field.number == 71
        let p = try inner.decode(CoreMLActivationParameters.self, omitting: hasWeights ? [1, 2] : [])
        func scalar(_ value: Float) throws(FormatError) -> Graph.ValueID { try network.writer.constant([value]) }
        func apply(_ name: String, _ attributes: [String: AttributeValue] = [:]) throws(FormatError) -> Graph.ValueID {
            try network.writer.apply(name, [x], attributes)
        }
        func weights(_ number: Int) throws(FormatError) -> Graph.ValueID {
            try perChannel(try CoreMLWeights(try inner.message(number)), like: x, network)
        }
        switch field.number {
        case 5:
            let scaled = try network.writer.apply("Mul", [x, try scalar(p.alpha)])
            return try network.writer.apply("Add", [scaled, try scalar(p.beta)])
        case 10: return try apply("Relu")
        case 15: return try apply("LeakyRelu", ["alpha": .float(p.alpha)])
        case 20:
            let isKept = try network.writer.apply("GreaterOrEqual", [x, try scalar(p.alpha)])
            return try network.writer.apply("Where", [isKept, x, try scalar(0)])
        case 25: return try network.writer.apply("PRelu", [x, try weights(1)])
        case 30: return try apply("Tanh")
        case 31:
            let inside = try network.writer.apply("Mul", [x, try scalar(p.beta)])
            return try network.writer.apply("Mul", [try network.writer.apply("Tanh", [inside]), try scalar(p.alpha)])
        case 40: return try apply("Sigmoid")
        case 41: return try apply("HardSigmoid", ["alpha": .float(p.alpha), "beta": .float(p.beta)])
        case 50: return try apply("Elu", ["alpha": .float(p.alpha)])
        case 60: return try apply("Softsign")
        case 70: return try apply("Softplus")
        case 71:
            let inside = try network.writer.apply("Mul", [x, try weights(2)])
            return try network.writer.apply("Mul", [try network.writer.apply("Softplus", [inside]), try weights(1)])
        default: throw .unsupported("activation \(field.number) is not known")
        }
    }

    /// Weights of which there is one, or one for each channel, in a shape that broadcasts to `x`.
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

    /// y = min(x, beta) where x is positive, min(alpha · x, beta) elsewhere.
    static func clampedReLU(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLActivationParameters.self)
        let leaky = try network.writer.apply("LeakyRelu", [try network.input(layer)], ["alpha": .float(p.alpha)])
        try network.output(layer, try network.writer.apply("Min", [leaky, try network.writer.constant([p.beta])]))
    }

    static func gelu(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let x = try network.input(layer)
        switch try layer.decode(CoreMLShapeParameters.self).shape.first ?? 0 {
        case 0: try network.output(layer, try network.writer.apply("Gelu", [x]))
        case 1: try network.output(layer, try network.writer.apply("Gelu", [x], ["approximate": .string("tanh")]))
        case 2:
            let inside = try network.writer.apply("Mul", [x, try network.writer.constant([1.702])])
            let gate = try network.writer.apply("Sigmoid", [inside])
            try network.output(layer, try network.writer.apply("Mul", [x, gate]))
        default: throw .unsupported("this mode of GELU is not known")
        }
    }
}
