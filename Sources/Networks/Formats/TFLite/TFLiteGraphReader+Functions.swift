import Graphs
import Tensors

extension TFLiteGraphReader {
    /// Adds an elementwise function. For quantized 8-bit integers it is a table.
    mutating func addFunction(_ node: TFLiteNode) throws(FormatError) {
        let (input, output) = (try node.input(0), try node.output())
        if let x = quantization(input), let y = quantization(output), let type = elementType(input),
            type == elementType(output)
        {
            let alpha = node.kind == .leakyRelu ? try node.float(0) : 0
            let isApproximate = node.kind == .gelu ? try node.bool(0) : false
            let table = try node.checked { () throws(OperatorError) in
                let function = IntegerFunction(x: x, y: y, elementType: type)
                return try type.byteCount == 1
                    ? function.table(node.kind, alpha: alpha, isApproximate: isApproximate)
                    : function.wideTable(node.kind, alpha: alpha)
            }
            if let table {
                try addTable(table, from: input, to: output, node)
                return
            }
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            let isChannelsFirst = reader.forms[input].isChannelsFirst
            let x = try isChannelsFirst ? reader.channelsFirst(input) : reader.plain(input)
            return (try reader.function(node, x), isChannelsFirst)
        }
    }

    /// Adds a lookup of every element in a table.
    mutating func addTable(_ table: Tensor, from input: Int, to output: Int, _ node: TFLiteNode) throws(FormatError) {
        let isChannelsFirst = forms[input].isChannelsFirst
        let x = try isChannelsFirst ? channelsFirst(input) : plain(input)
        let value = try apply(Lookup(), [x, addConstant(table, "\(node.name)/table")], node)
        define(output, value, isChannelsFirst: isChannelsFirst)
    }

    private mutating func function(_ node: TFLiteNode, _ x: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        let operation: any Operator
        switch node.kind {
        case .relu: operation = Relu()
        case .relu6: operation = Clip(min: 0, max: 6)
        case .reluN1To1: operation = Clip(min: -1, max: 1)
        case .relu0To1: operation = Clip(min: 0, max: 1)
        case .leakyRelu: operation = LeakyRelu(alpha: try node.float(0))
        case .logistic: operation = Sigmoid()
        case .tanh: operation = Tanh()
        case .elu: operation = Elu()
        case .hardSwish: operation = HardSwish()
        case .gelu: operation = Gelu(isApproximate: try node.bool(0))
        case .exp: operation = Exp()
        case .log: operation = Log()
        case .sqrt: operation = Sqrt()
        case .abs: operation = Abs()
        case .neg: operation = Neg()
        case .floor: operation = Floor()
        case .ceil: operation = Ceil()
        case .round: operation = Round()
        case .sin: operation = Sin()
        case .cos: operation = Cos()
        case .sign: operation = Sign()
        case .square: return try apply(Mul(), [x, x], node)
        case .rsqrt:
            let root = try apply(Sqrt(), [x], "\(node.name)/root")[0]
            return try apply(Reciprocal(), [root], node)
        default: throw node.unsupported("\(node.kind)")
        }
        return try apply(operation, [x], node)
    }

    mutating func addSoftmax(_ node: TFLiteNode) throws(FormatError) {
        let (input, output) = (try node.input(0), try node.output())
        let beta = node.kind == .softmax ? try node.float(0) : 1
        if node.kind == .softmax, let x = quantization(input), let y = quantization(output),
            let type = elementType(output), type == elementType(input), type.byteCount == 1,
            y.scales[0] == 1 / 256, y.zeroPoints[0] == Int(type.quantizedRange?.lowerBound ?? 0)
        {
            let operation = IntegerSoftmax(factor: Double(beta) * Double(x.scales[0]), elementType: type)
            define(output, try apply(operation, [try plain(input)], node))
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            var x = try reader.plain(input)
            if beta != 1 { x = try reader.scaled(x, by: beta, node) }
            let operation: any Operator = node.kind == .softmax ? Softmax() : LogSoftmax()
            return (try reader.apply(operation, [x], node), false)
        }
    }

    /// A value multiplied by a number.
    private mutating func scaled(
        _ value: Graph.ValueID, by factor: Float, _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let tensor = try node.checked { () throws(OperatorError) in try Tensor.constant([factor], shape: []) }
        return try apply(Mul(), [value, addConstant(tensor, "\(node.name)/factor")], "\(node.name)/scaled")[0]
    }

    mutating func addL2Normalization(_ node: TFLiteNode) throws(FormatError) {
        let activation = try node.activation(0)
        let (input, output) = (try node.input(0), try node.output())
        if activation == .none, let x = quantization(input), let y = quantization(output),
            let type = elementType(input), type == elementType(output), type.byteCount == 1, y.scales[0] == 1 / 128,
            y.zeroPoints[0] == (type == .uint8 ? 128 : 0)
        {
            let operation = IntegerL2Normalization(zeroPoint: Int32(clamping: x.zeroPoints[0]))
            define(output, try apply(operation, [try plain(input)], node))
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            let x = try reader.plain(input)
            let norm = try reader.apply(
                ReduceL2(axes: ReductionAxes(axes: [reader.rank(x) - 1])), [x], "\(node.name)/norm")[0]
            let least = try node.checked { () throws(OperatorError) in try Tensor.constant([Float(1e-6)], shape: []) }
            let kept = try reader.apply(
                Max(), [norm, reader.addConstant(least, "\(node.name)/least")], "\(node.name)/kept")[0]
            let value = try reader.apply(Div(), [x, kept], node)
            return (try reader.activated(value, activation, node), false)
        }
    }

    /// Adds y = x / (bias + alpha · Σ x²)^beta over the channels [c − radius, c + radius).
    ///
    /// ONNX's LRN reads [c − radius + 1, c + radius] for this size, so the channels are reversed before and after it.
    mutating func addLocalResponseNormalization(_ node: TFLiteNode) throws(FormatError) {
        let radius = try node.int(0)
        guard (1...1 << 16).contains(radius) else { throw node.invalid("radius \(radius)") }
        let size = 2 * radius
        let operation = LRN(
            size: size, alpha: try node.float(2) * Float(size), beta: try node.float(3), bias: try node.float(1))
        let x = try reversingChannels(try channelsFirst(try node.input(0)), node)
        let y = try apply(operation, [x], "\(node.name)/reversed")[0]
        define(try node.output(), channelsFirst: try reversingChannels(y, node))
    }

    private mutating func reversingChannels(
        _ value: Graph.ValueID, _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        var operands: [Graph.ValueID?] = [value]
        for number in [-1, Int(Int32.min), 1, -1] { operands.append(try addIntegers([number], node)) }
        return try apply(Slice(), operands, node)
    }

    mutating func addQuantize(_ node: TFLiteNode) throws(FormatError) {
        let (input, output) = (try node.input(0), try node.output())
        guard let y = quantization(output), let type = elementType(output) else {
            throw node.invalid("its output has no scale")
        }
        guard let x = quantization(input), let source = elementType(input) else {
            try addOnNumbers(node) { reader throws(FormatError) in
                let isChannelsFirst = reader.forms[input].isChannelsFirst
                return (try isChannelsFirst ? reader.channelsFirst(input) : reader.plain(input), isChannelsFirst)
            }
            return
        }
        let table = try node.checked { () throws(OperatorError) in
            try IntegerFunction(x: x, y: y, elementType: source).requantization(to: type)
        }
        try addTable(table, from: input, to: output, node)
    }

    mutating func addDequantize(_ node: TFLiteNode) throws(FormatError) {
        let (input, output) = (try node.input(0), try node.output())
        if elementType(input)?.isFloatingPoint == true {
            if let constant = try constants.tensor(input), let widened = try? constant.converted(to: .float32) {
                define(output, addConstant(widened, node.name))
            } else {
                define(output, try apply(Cast(to: .float32), [try plain(input)], node))
            }
            return
        }
        let isChannelsFirst = forms[input].isChannelsFirst
        guard !constants.contains(input), let quantization = subgraph.tensors[input].quantization,
            let type = elementType(input), quantization.axis == nil
        else {
            readsNumbers = true
            let value = try plain(input)
            readsNumbers = false
            define(output, value)
            return
        }
        let value = try isChannelsFirst ? channelsFirst(input) : plain(input)
        define(
            output, try dequantized(value, quantization, type, node.name), isChannelsFirst: isChannelsFirst)
    }

    mutating func addCast(_ node: TFLiteNode) throws(FormatError) {
        let (input, output) = (try node.input(0), try node.output())
        guard let type = elementType(output) else { throw node.unsupported("its output's type") }
        let isChannelsFirst = forms[input].isChannelsFirst
        let x = try isChannelsFirst ? channelsFirst(input) : plain(input)
        define(output, try apply(Cast(to: type), [x], node), isChannelsFirst: isChannelsFirst)
    }
}
