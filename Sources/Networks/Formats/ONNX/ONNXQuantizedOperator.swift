import Graphs

/// Operators of domain `com.microsoft` that onnxruntime's quantizer writes. They become operators between
/// DequantizeLinear and QuantizeLinear, which rewrites turn into integer arithmetic.
///
/// DynamicQuantizeLSTM becomes an LSTM with dequantized weights; its other operands are not rounded.
///
/// Reference: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
struct ONNXQuantizedOperator {
    private let message: ONNXNodeProto
    private let label: ONNXNodeLabel
    private var nodes: [ONNXNodeProto] = []

    static let domain = "com.microsoft"

    /// The operator of ONNX that corresponds to each.
    private static let operations = [
        "QLinearAdd": "Add", "QLinearMul": "Mul", "QLinearSigmoid": "Sigmoid", "QLinearLeakyRelu": "LeakyRelu",
        "QLinearSoftmax": "Softmax", "QLinearAveragePool": "AveragePool",
        "QLinearGlobalAveragePool": "GlobalAveragePool", "QLinearConcat": "Concat", "QGemm": "Gemm",
        "DynamicQuantizeLSTM": "LSTM", QuantizeLinear.name: QuantizeLinear.name,
        DequantizeLinear.name: DequantizeLinear.name,
    ]

    static func reads(_ message: ONNXNodeProto) -> Bool {
        message.domain == domain && operations[message.opType] != nil
    }

    /// The nodes that replace a node.
    static func nodes(
        _ message: ONNXNodeProto, _ label: ONNXNodeLabel
    ) throws(FormatError) -> [ONNXNodeProto] {
        var expansion = ONNXQuantizedOperator(message: message, label: label)
        try expansion.expand()
        return expansion.nodes
    }

    private init(message: ONNXNodeProto, label: ONNXNodeLabel) {
        (self.message, self.label) = (message, label)
    }

    private mutating func expand() throws(FormatError) {
        if message.opType == "DynamicQuantizeLSTM" { return try expandRecurrence() }
        if Self.operations[message.opType] == message.opType {
            // ONNX's own, for types that earlier versions of it lack.
            var node = message
            node.domain = ""
            nodes.append(node)
            return
        }
        guard let result = message.output.first, message.output.count == 1 else {
            throw label.invalid("has \(message.output.count) outputs; 1 expected")
        }
        var operands: [String] = []
        var target: ArraySlice<String>?
        var attributes = message.attribute
        switch message.opType {
        case "QLinearConcat":
            target = try inputs(0, 2)
            guard message.input.count >= 5, message.input.count % 3 == 2 else {
                throw label.invalid("has \(message.input.count) inputs; 2 and 3 for each part expected")
            }
            for first in stride(from: 2, to: message.input.count, by: 3) {
                operands.append(dequantized(try inputs(first, 3)))
            }
        case "QLinearAdd", "QLinearMul":
            operands = [dequantized(try inputs(0, 3)), dequantized(try inputs(3, 3))]
            target = try inputs(6, 2)
        case "QGemm":
            let channelAxis = try number("transB", default: 0) == 0 ? 1 : 0
            operands = [dequantized(try inputs(0, 3)), dequantized(try inputs(3, 3), axis: channelAxis)]
            if message.input.count > 6, !message.input[6].isEmpty {
                operands.append(bias(try number("alpha", default: 1)))
            }
            target = message.input.count > 7 && !message.input[7].isEmpty ? try inputs(7, 2) : nil
        default:
            operands = [dequantized(try inputs(0, 3))]
            target = try inputs(3, 2)
        }
        guard try number("channels_last", default: 0) == 0 else {
            throw label.unsupported("\"channels_last\" is not supported")
        }
        attributes.removeAll { $0.name == "channels_last" || $0.name == "opset" }
        let numbers = add(Self.operations[message.opType] ?? "", operands, attributes, name: message.name)
        var last = ONNXNodeProto()
        last.opType = target == nil ? Identity.name : QuantizeLinear.name
        last.input = [numbers] + (target ?? [])
        last.output = [result]
        nodes.append(last)
    }

    /// Dequantizes and transposes the weights of an LSTM: [D, I, 4 · H] and [D, H, 4 · H], with a scale and a zero
    /// point for each direction [D] or each of its columns [D, 4 · H], become [D, 4 · H, I] and [D, 4 · H, H].
    private mutating func expandRecurrence() throws(FormatError) {
        guard message.input.count == 12 else { throw label.invalid("has \(message.input.count) inputs; 12 expected") }
        let columns = add(Constant.name, [], [Self.attribute("value_ints", [0, 1, -1])])
        func numbers(_ name: String) -> String { add(Cast.name, [name], [Self.attribute("to", 1)]) }
        func row(_ name: String) -> String { add(Reshape.name, [name, columns], []) }
        func weights(_ position: Int, scaleAt scale: Int) -> String {
            let centered = add(
                Sub.name, [numbers(message.input[position]), row(numbers(message.input[scale + 1]))], [])
            let scaled = add(Mul.name, [centered, row(message.input[scale])], [])
            return add(Transpose.name, [scaled], [Self.attribute("perm", [0, 2, 1])])
        }
        var recurrence = message
        recurrence.opType = LSTM.name
        recurrence.domain = ""
        recurrence.input = Array(message.input[..<8])
        recurrence.input[1] = weights(1, scaleAt: 8)
        recurrence.input[2] = weights(2, scaleAt: 10)
        nodes.append(recurrence)
    }

    private func number(_ name: String, default fallback: Float) throws(FormatError) -> Float {
        guard let attribute = message.attribute.first(where: { $0.name == name }) else { return fallback }
        return attribute.hasF ? attribute.f : attribute.hasI ? Float(attribute.i) : fallback
    }

    /// The names of a value, its scale and its zero point, which may be absent.
    private func inputs(_ first: Int, _ count: Int) throws(FormatError) -> ArraySlice<String> {
        let range = first..<first + count
        guard range.upperBound <= message.input.count || range.upperBound == message.input.count + 1 else {
            throw label.invalid("has \(message.input.count) inputs, too few")
        }
        return message.input[range.clamped(to: message.input.indices)]
    }

    private mutating func dequantized(_ operand: ArraySlice<String>, axis: Int = 1) -> String {
        add(DequantizeLinear.name, Array(operand), [Self.attribute("axis", axis)])
    }

    /// The bias of a product. Its integers have the product of the operands' scales and of the factor of the product.
    private mutating func bias(_ factor: Float) -> String {
        var scale = add("Mul", [message.input[1], message.input[4]], [])
        if factor != 1 {
            var value = ONNXAttributeProto()
            (value.name, value.type, value.f) = ("value_float", .float, factor)
            scale = add("Mul", [scale, add(Constant.name, [], [value])], [])
        }
        return add(DequantizeLinear.name, [message.input[6], scale], [Self.attribute("axis", 0)])
    }

    /// Adds a node and returns its result's name.
    private mutating func add(
        _ operation: String, _ inputs: [String], _ attributes: [ONNXAttributeProto], name: String = ""
    ) -> String {
        var node = ONNXNodeProto()
        node.opType = operation
        node.name = name
        node.input = inputs
        node.attribute = attributes
        let result = message.output.first { !$0.isEmpty } ?? ""
        node.output = ["\(result)/numbers\(nodes.count)"]
        nodes.append(node)
        return node.output[0]
    }

    private static func attribute(_ name: String, _ number: Int) -> ONNXAttributeProto {
        var attribute = ONNXAttributeProto()
        attribute.name = name
        attribute.type = .int
        attribute.i = Int64(number)
        return attribute
    }

    private static func attribute(_ name: String, _ numbers: [Int64]) -> ONNXAttributeProto {
        var attribute = ONNXAttributeProto()
        attribute.name = name
        attribute.type = .ints
        attribute.ints = numbers
        return attribute
    }
}
