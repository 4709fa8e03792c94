import Graphs
import Tensors

extension LayerKind {
    /// A function of shift + scale · x.
    static func unary(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLUnaryParameters.self)
        func scalar(_ value: Float) throws(FormatError) -> Graph.ValueID { try network.writer.constant([value]) }
        var x = try network.input(layer)
        // The format leaves out numbers that are 0, and a scale of 0 would leave nothing to compute.
        if p.scale != 1, p.scale != 0 { x = try network.writer.apply("Mul", [x, try scalar(p.scale)]) }
        if p.shift != 0 { x = try network.writer.apply("Add", [x, try scalar(p.shift)]) }
        func shifted() throws(FormatError) -> Graph.ValueID {
            p.epsilon == 0 ? x : try network.writer.apply("Add", [x, try scalar(p.epsilon)])
        }
        let result: Graph.ValueID
        switch p.operation {
        case 0: result = try network.writer.apply("Sqrt", [x])
        case 1:
            result = try network.writer.apply("Reciprocal", [try network.writer.apply("Sqrt", [try shifted()])])
        case 2: result = try network.writer.apply("Reciprocal", [try shifted()])
        case 3: result = try network.writer.apply("Pow", [x, try scalar(p.alpha)])
        case 4: result = try network.writer.apply("Exp", [x])
        case 5: result = try network.writer.apply("Log", [x])
        case 6: result = try network.writer.apply("Abs", [x])
        case 7: result = try network.writer.apply("Max", [x, try scalar(p.alpha)])
        default: throw .unsupported("operation \(p.operation) is not known")
        }
        try network.output(layer, result)
    }

    /// All inputs folded by an operator that broadcasts, or one input and a number.
    static func folding(_ name: String, alphaName: String? = nil) -> Translator {
        { layer, network throws(FormatError) in
            var inputs = try network.alignedInputs(layer)
            if inputs.count == 1, let alphaName {
                let p = try layer.decode(CoreMLActivationParameters.self)
                let alpha = try network.writer.constant([p.alpha])
                return try network.output(layer, try network.writer.apply(alphaName, [inputs[0], alpha]))
            }
            guard alphaName != nil, inputs.count > 1 else {
                return try network.output(layer, try network.writer.apply(name, inputs))
            }
            var result = inputs.removeFirst()
            for input in inputs { result = try network.writer.apply(name, [result, input]) }
            try network.output(layer, result)
        }
    }

    /// y = scale · x + bias, each one number, one for each channel, or one for each element of [C, H, W].
    static func scale(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (scaleField, biasField) = (2, 5)
        let p = try layer.decode(CoreMLScaleParameters.self, weights: [scaleField, biasField])
        let x = try network.input(layer)
        let factor = try weights(layer, scaleField, p.scaleShape, like: x, network)
        var result = try network.writer.apply("Mul", [x, factor])
        if p.hasBias_p {
            result = try network.writer.apply(
                "Add", [result, try weights(layer, biasField, p.biasShape, like: x, network)])
        }
        try network.output(layer, result)
    }

    /// y = x + bias.
    static func bias(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLScaleParameters.self, weights: [2, 5])
        let x = try network.input(layer)
        try network.output(
            layer, try network.writer.apply("Add", [x, try weights(layer, 2, p.scaleShape, like: x, network)]))
    }

    /// Weights in a shape that broadcasts to `x`.
    private static func weights(
        _ layer: Layer, _ field: Int, _ declared: [UInt64], like x: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        var shape = declared.counts(or: [1])
        let rank = try network.shape(x).count
        // One number for each channel, which has height and width behind it.
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
        let products = try network.writer.apply("Mul", inputs)
        var result = try network.writer.apply("ReduceSum", [products, axes])
        if isCosine {
            let norms = [
                try network.writer.apply("ReduceL2", [inputs[0], axes]),
                try network.writer.apply("ReduceL2", [inputs[1], axes]),
            ]
            result = try network.writer.apply("Div", [result, try network.writer.apply("Mul", norms)])
        }
        try network.output(layer, result)
    }

    private static let reductions = [
        "ReduceSum", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceMax",
        "ReduceMin", "ArgMax",
    ]

    /// A reduction over channels, height, width or some of them, which stay as axes of 1.
    static func reduce(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLReduceParameters.self)
        let axes = [[-3, -2, -1], [-2, -1], [-3], [-2], [-1]]
        guard reductions.indices.contains(Int(p.mode)), axes.indices.contains(Int(p.axis)) else {
            throw .unsupported("reduction \(p.mode) over \(p.axis) is not known")
        }
        var x = try network.image(try network.input(layer))
        let reduced = axes[Int(p.axis)]
        let name = reductions[Int(p.mode)]
        if name == "ArgMax" {
            guard reduced.count == 1 else { throw .invalid("ARGMAX takes one axis") }
            let indices = try network.writer.apply(name, [x], ["axis": .int(reduced[0])])
            return try network.output(layer, try network.floats(indices))
        }
        if p.mode == 3 {
            if p.epsilon != 0 { x = try network.writer.apply("Add", [x, try network.writer.constant([p.epsilon])]) }
            x = try network.writer.apply("Log", [x])
        }
        let operand = try network.writer.constant(integers: reduced, "axes")
        try network.output(layer, try network.writer.apply(name, [x, operand]))
    }

    /// Weights [C, H, W].
    static func loadConstant(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLScaleParameters.self, weights: [2])
        var shape = p.scaleShape.counts()
        if network.rule == .fiveAxes {
            if shape.count == 1 { shape += [1, 1] }
            guard shape.count == 3 else { throw .invalid("its shape \(shape) must have three extents") }
            shape = [1] + shape
        }
        network.define(try layer.onlyOutput, network.writer.constant(try layer.weights(2).tensor(shape: shape)))
    }
}

extension Layer {
    /// The name of what a layer gives that reads nothing.
    var onlyOutput: String {
        get throws(FormatError) {
            guard outputs.count == 1 else { throw .invalid("has \(outputs.count) outputs; 1 is expected") }
            return outputs[0]
        }
    }
}

extension NetworkTranslator {
    /// Numbers of any type as float32, which is what all values of these networks are.
    func floats(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        try writer.apply("Cast", [id], ["to": .elementType(.float32)])
    }

    /// Whole numbers among float32 as int64, as indices and shapes are.
    func integers(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        try writer.apply("Cast", [id], ["to": .elementType(.int64)])
    }

    /// Whether numbers are not 0.
    func truth(_ id: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        try writer.apply("Cast", [id], ["to": .elementType(.bool)])
    }
}
