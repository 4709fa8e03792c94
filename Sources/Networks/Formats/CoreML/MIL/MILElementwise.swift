import Graphs
import Tensors

extension MILOperatorKind {
    static func unary(_ function: any Operator) -> Translator {
        { operation, program throws(FormatError) in
            try program.output(operation, try program.writer.apply(function, [try operation.value("x")]))
        }
    }

    static func binary(_ function: any Operator) -> Translator {
        { operation, program throws(FormatError) in
            try program.output(operation, try program.writer.apply(function, try operation.operands))
        }
    }

    static func elu(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try unary(Elu(alpha: try operation.float("alpha") ?? 1))(operation, program)
    }

    static func leakyReLU(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try unary(LeakyRelu(alpha: try operation.float("alpha") ?? 0.01))(operation, program)
    }

    static func hardSigmoid(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (alpha, beta) = (try operation.float("alpha"), try operation.float("beta"))
        try unary(HardSigmoid(alpha: alpha ?? 0.2, beta: beta ?? 0.5))(operation, program)
    }

    /// Floating-point types all become float32.
    static func cast(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let types: [String: ElementType] = [
            "fp16": .float32, "fp32": .float32, "fp64": .float32, "int32": .int32, "int64": .int32, "int16": .int32,
            "uint16": .int32, "int8": .int8, "uint8": .uint8, "bool": .bool,
        ]
        let x = try operation.value("x")
        let name = try operation.text("dtype") ?? ""
        guard let type = types[name] else { throw .unsupported("type \"\(name)\"") }
        try program.output(operation, try program.writer.cast(x, to: type))
    }

    static func clip(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (low, high) = (try operation.float("alpha") ?? 0, try operation.float("beta") ?? 1)
        try program.output(operation, try program.writer.clipped(try operation.value("x"), from: low, to: high))
    }

    static func relu6(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.clipped(try operation.value("x"), from: 0, to: 6))
    }

    static func exp2(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.exp2(try operation.value("x")))
    }

    static func floorDivision(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let operands = try operation.operands
        let quotient =
            program.isFloatingPoint(operands[0])
            ? try program.writer.floorQuotient(operands) : try program.writer.integerFloorQuotient(operands)
        try program.output(operation, quotient)
    }

    static func modulo(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.apply(Mod(), try operation.operands))
    }

    static func gelu(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let modes: [String: LayerWriter.GELU] = [
            "EXACT": .exact, "TANH_APPROXIMATION": .tanh, "SIGMOID_APPROXIMATION": .sigmoid,
        ]
        let x = try operation.value("x")
        guard let kind = modes[try operation.text("mode") ?? "EXACT"] else {
            throw .unsupported("this mode is not known")
        }
        try program.output(operation, try program.writer.gelu(x, kind))
    }

    /// x + epsilon, or x where there is no epsilon.
    private static func shifted(
        _ operation: MILOperation, _ program: MILTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let x = try operation.value("x")
        return try program.writer.shifted(x, by: try operation.float("epsilon") ?? 0)
    }

    static func inverse(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.apply(Reciprocal(), [try shifted(operation, program)]))
    }

    static func logarithm(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.apply(Log(), [try shifted(operation, program)]))
    }

    static func reciprocalRoot(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.reciprocalRoot(try shifted(operation, program)))
    }

    static func notEqual(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let equal = try program.writer.apply(Equal(), try operation.operands)
        try program.output(operation, try program.writer.apply(Not(), [equal]))
    }

    /// PReLU with one slope per channel.
    static func prelu(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, slope) = (try operation.value("x"), try operation.value("alpha"))
        let trailing = [Int](repeating: 1, count: max(0, try program.shape(x).count - 2))
        let column = try program.writer.reshaped(slope, [-1] + trailing)
        try program.output(operation, try program.writer.apply(PRelu(), [x, column]))
    }

    static func scaledTanh(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (alpha, beta) = (try operation.float("alpha") ?? 1, try operation.float("beta") ?? 1)
        let x = try operation.value("x")
        try program.output(operation, try program.writer.scaledTanh(x, alpha: alpha, beta: beta))
    }

    static func select(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("cond"), try operation.value("a"), try operation.value("b")]
        try program.output(operation, try program.writer.apply(Where(), inputs))
    }

    static func square(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        try program.output(operation, try program.writer.apply(Mul(), [x, x]))
    }

    static func thresholdedReLU(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, alpha) = (try operation.value("x"), try operation.float("alpha") ?? 0)
        try program.output(operation, try program.writer.thresholdedReLU(x, threshold: alpha))
    }

    static func clampedReLU(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (alpha, beta) = (try operation.float("alpha") ?? 1, try operation.float("beta") ?? 1)
        let x = try operation.value("x")
        try program.output(operation, try program.writer.clampedReLU(x, alpha: alpha, beta: beta))
    }

    static func linearActivation(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (alpha, beta) = (try operation.float("alpha") ?? 1, try operation.float("beta") ?? 0)
        let x = try operation.value("x")
        try program.output(operation, try program.writer.linear(x, alpha: alpha, beta: beta))
    }

    static func threshold(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, alpha) = (try operation.value("x"), try operation.float("alpha") ?? 0)
        try program.output(operation, try program.writer.maximum(x, alpha))
    }
}
