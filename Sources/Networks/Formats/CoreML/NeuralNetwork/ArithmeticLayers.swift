import Graphs
import Tensors

extension LayerKind {
    /// The functions of the layer `unary`, by number.
    private enum UnaryFunction: Int32 {
        case squareRoot, reciprocalRoot, reciprocal, power, exponential, logarithm, absolute, threshold
    }

    /// A function of shift + scale · x.
    static func unary(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLUnaryParameters.self)
        var x = try network.input(layer)
        // The format leaves out numbers that are 0. A scale of 0 would make the result constant, so it means an absent
        // scale.
        if p.scale != 1, p.scale != 0 {
            x = try network.writer.apply(Mul(), [x, try network.writer.constant(p.scale)])
        }
        x = try network.writer.shifted(x, by: p.shift)
        let result: Graph.ValueID
        switch UnaryFunction(rawValue: p.operation) {
        case .squareRoot: result = try network.writer.apply(Sqrt(), [x])
        case .reciprocalRoot:
            result = try network.writer.reciprocalRoot(try network.writer.shifted(x, by: p.epsilon))
        case .reciprocal:
            result = try network.writer.apply(Reciprocal(), [try network.writer.shifted(x, by: p.epsilon)])
        case .power: result = try network.writer.apply(Pow(), [x, try network.writer.constant(p.alpha)])
        case .exponential: result = try network.writer.apply(Exp(), [x])
        case .logarithm: result = try network.writer.apply(Log(), [x])
        case .absolute: result = try network.writer.apply(Abs(), [x])
        case .threshold: result = try network.writer.maximum(x, p.alpha)
        case nil: throw .unsupported("operation \(p.operation) is not known")
        }
        try network.output(layer, result)
    }

    /// Joins all inputs by an operator that broadcasts.
    ///
    /// - Parameter acceptsNumber: Whether the operator takes two inputs at a time, or one input and a number.
    static func folding(_ operation: any Operator, acceptsNumber: Bool = false) -> Translator {
        { layer, network throws(FormatError) in
            var inputs = try network.alignedInputs(layer)
            guard acceptsNumber else {
                return try network.output(layer, try network.writer.apply(operation, inputs))
            }
            if inputs.count == 1 {
                let p = try layer.decode(CoreMLActivationParameters.self)
                inputs.append(try network.writer.constant(p.alpha))
            }
            var result = inputs.removeFirst()
            for input in inputs { result = try network.writer.apply(operation, [result, input]) }
            try network.output(layer, result)
        }
    }

    private enum ScaleField: Int, MessageField {
        case scale = 2
        case bias = 5
    }

    /// y = scale · x + bias. Each of them is one number, one per channel, or one per element of [C, H, W].
    static func scale(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLScaleParameters.self, without: ScaleField.self)
        let x = try network.input(layer)
        let factor = try weights(layer, .scale, p.scaleShape, like: x, network)
        var result = try network.writer.apply(Mul(), [x, factor])
        if p.hasBias_p {
            let bias = try weights(layer, .bias, p.biasShape, like: x, network)
            result = try network.writer.apply(Add(), [result, bias])
        }
        try network.output(layer, result)
    }

    /// y = x + bias. The bias is stored where `scale` stores its scale.
    static func bias(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLScaleParameters.self, without: ScaleField.self)
        let x = try network.input(layer)
        let bias = try weights(layer, .scale, p.scaleShape, like: x, network)
        try network.output(layer, try network.writer.apply(Add(), [x, bias]))
    }

    /// The weights in a shape that broadcasts to `x`.
    private static func weights(
        _ layer: Layer, _ field: ScaleField, _ declared: [UInt64], like x: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        var shape = declared.counts(or: [1])
        let rank = try network.shape(x).count
        // One number per channel needs axes for height and width behind it.
        if shape.count == 1, shape != [1], rank >= 3 { shape += [1, 1] }
        if network.rule == .fiveAxes, rank == 2 {
            guard shape.dropFirst().allSatisfy({ $0 == 1 }) else {
                throw .invalid("weights \(shape) do not fit one number for each channel")
            }
            shape = [shape[0]]
        }
        return network.writer.constant(try layer.weights(field).tensor(shape: shape), "weights")
    }

    /// The sum of the products of two inputs over their channels, or its quotient by both norms.
    static func dotProduct(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let isCosine = try layer.decode(CoreMLFlagParameters.self).flag
        var inputs = try network.inputs(layer, atLeast: 2)
        for index in inputs.indices { inputs[index] = try network.image(inputs[index]) }
        guard inputs.count == 2 else { throw .invalid("has \(inputs.count) inputs; 2 are expected") }
        let axes = try network.writer.constant(integers: [-3], "axes")
        let products = try network.writer.apply(Mul(), inputs)
        var result = try network.writer.apply(ReduceSum(), [products, axes])
        if isCosine {
            let norms = [
                try network.writer.apply(ReduceL2(), [inputs[0], axes]),
                try network.writer.apply(ReduceL2(), [inputs[1], axes]),
            ]
            result = try network.writer.apply(Div(), [result, try network.writer.apply(Mul(), norms)])
        }
        try network.output(layer, result)
    }

    /// A constant with weights [C, H, W].
    static func loadConstant(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try loadConstant(layer, network) { shape throws(FormatError) in
            guard network.rule == .fiveAxes else { return shape }
            let shape = shape.count == 1 ? shape + [1, 1] : shape
            guard shape.count == 3 else { throw .invalid("its shape \(shape) must have three extents") }
            return [1] + shape
        }
    }

    static func loadConstantND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try loadConstant(layer, network) { $0 }
    }

    /// - Parameter shape: Computes the shape of the value from the declared one.
    private static func loadConstant(
        _ layer: Layer, _ network: NetworkTranslator, shape: ([Int]) throws(FormatError) -> [Int]
    ) throws(FormatError) {
        enum DataField: Int, MessageField { case data = 2 }
        let p = try layer.decode(CoreMLScaleParameters.self, without: DataField.self)
        let tensor = try layer.weights(DataField.data).tensor(shape: try shape(p.scaleShape.counts()))
        guard layer.outputs.count == 1 else {
            throw .invalid("has \(layer.outputs.count) outputs; 1 is expected")
        }
        network.define(layer.outputs[0], network.writer.constant(tensor))
    }
}
