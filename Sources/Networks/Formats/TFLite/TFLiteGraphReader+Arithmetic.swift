import Graphs
import Tensors

extension TFLiteGraphReader {
    /// The quantizations of two operands and a result; nil when one of them has none.
    private func quantizations(_ node: TFLiteNode) throws(FormatError) -> (Quantization, Quantization, Quantization)? {
        guard let a = quantization(try node.input(0)), let b = quantization(try node.input(1)),
            let y = quantization(try node.output())
        else { return nil }
        return (a, b, y)
    }

    mutating func addArithmetic(_ node: TFLiteNode) throws(FormatError) {
        let activation = try node.activation(0)
        let output = try node.output()
        if let (a, b, y) = try quantizations(node), let type = elementType(output), activation != .tanh {
            let range = TFLiteQuantization.range(activation, y, type)
            let operation = try node.checked { () throws(OperatorError) -> any Operator in
                switch node.kind {
                case .mul: try IntegerMul(a: a, b: b, y: y, range: range, elementType: type)
                default:
                    try IntegerAdd(
                        isDifference: node.kind == .sub, a: a, b: b, y: y, range: range, elementType: type)
                }
            }
            try addElementwise(operation, node)
            return
        }
        let operation: any Operator
        switch node.kind {
        case .add: operation = Add()
        case .sub: operation = Sub()
        default: operation = Mul()
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            let (values, isChannelsFirst) = try reader.operands(node, 0..<2)
            let value = try reader.apply(operation, values, node)
            return (try reader.activated(value, activation, node), isChannelsFirst)
        }
    }

    mutating func addFloatArithmetic(_ node: TFLiteNode) throws(FormatError) {
        try addOnNumbers(node) { reader throws(FormatError) in
            let (values, isChannelsFirst) = try reader.operands(node, 0..<node.inputs.count)
            var value: Graph.ValueID
            switch node.kind {
            case .div:
                value = try reader.apply(Div(), values, node)
                value = try reader.activated(value, try node.activation(0), node)
            case .squaredDifference:
                let difference = try reader.apply(Sub(), values, "\(node.name)/difference")[0]
                value = try reader.apply(Mul(), [difference, difference], node)
            case .pow: value = try reader.apply(Pow(), values, node)
            case .addN: value = try reader.apply(Sum(), values, node)
            case .floorMod: value = try reader.apply(Mod(), values, node)
            default:
                let type = reader.elementType(try node.output())
                value = try reader.apply(Div(), values, "\(node.name)/quotient")[0]
                if type?.isFloatingPoint == true {
                    value = try reader.apply(Floor(), [value], node)
                } else {
                    value = try reader.floored(value, values, node)
                }
            }
            return (value, isChannelsFirst)
        }
    }

    /// The quotient of integers rounded down: (x − x mod y) / y.
    private mutating func floored(
        _ quotient: Graph.ValueID, _ values: [Graph.ValueID], _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let rest = try apply(Mod(), values, "\(node.name)/rest")[0]
        let whole = try apply(Sub(), [values[0], rest], "\(node.name)/whole")[0]
        return try apply(Div(), [whole, values[1]], node)
    }

    mutating func addExtremum(_ node: TFLiteNode) throws(FormatError) {
        let operation: any Operator = node.kind == .maximum ? Max() : Min()
        if let (a, b, y) = try quantizations(node), !(a == b && a == y) {
            try addOnNumbers(node) { reader throws(FormatError) in
                let (values, isChannelsFirst) = try reader.operands(node, 0..<2)
                return (try reader.apply(operation, values, node), isChannelsFirst)
            }
            return
        }
        try addElementwise(operation, node)
    }

    mutating func addComparison(_ node: TFLiteNode) throws(FormatError) {
        let (a, b) = (quantization(try node.input(0)), quantization(try node.input(1)))
        readsNumbers = a != b
        let (values, isChannelsFirst) = try operands(node, 0..<2)
        readsNumbers = false
        let operation: any Operator
        switch node.kind {
        case .less: operation = Less()
        case .lessEqual: operation = LessOrEqual()
        case .greater: operation = Greater()
        case .greaterEqual: operation = GreaterOrEqual()
        default: operation = Equal()
        }
        guard node.kind == .notEqual else {
            define(try node.output(), try apply(operation, values, node), isChannelsFirst: isChannelsFirst)
            return
        }
        let equal = try apply(operation, values, "\(node.name)/equal")[0]
        define(try node.output(), try apply(Not(), [equal], node), isChannelsFirst: isChannelsFirst)
    }

    mutating func addSelection(_ node: TFLiteNode) throws(FormatError) {
        // The condition of SELECT may have a single axis, which is the first axis of the other operands.
        let condition = try node.input(0)
        let rank = rank(try node.input(1))
        guard node.kind == .select, self.rank(condition) == 1, rank > 1 else {
            try addElementwise(Where(), node)
            return
        }
        let shape = try addIntegers([-1] + [Int](repeating: 1, count: rank - 1), node)
        let aligned = try apply(Reshape(), [try plain(condition), shape], "\(node.name)/condition")[0]
        let values = [aligned, try plain(try node.input(1)), try plain(try node.input(2))]
        define(try node.output(), try apply(Where(), values, node))
    }

    mutating func addPRelu(_ node: TFLiteNode) throws(FormatError) {
        if let (x, slope, y) = try quantizations(node), let type = elementType(try node.output()),
            type == elementType(try node.input(0)), type.byteCount == 1
        {
            let operation = try node.checked { () throws(OperatorError) in
                try IntegerPRelu(x: x, slope: slope, y: y, elementType: type)
            }
            try addElementwise(operation, node)
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            let (values, isChannelsFirst) = try reader.operands(node, 0..<2)
            return (try reader.apply(PRelu(), values, node), isChannelsFirst)
        }
    }
}
