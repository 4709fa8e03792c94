import Graphs
import Tensors

extension MILOperatorKind {
    static func unary(_ name: String) -> Translator {
        { operation, program throws(FormatError) in
            try program.output(operation, try program.writer.apply(name, [try operation.value("x")]))
        }
    }

    static func binary(_ name: String) -> Translator {
        { operation, program throws(FormatError) in
            let inputs = [try operation.value("x"), try operation.value("y")]
            try program.output(operation, try program.writer.apply(name, inputs))
        }
    }

    /// An operator with numbers of the same names as in ONNX.
    static func attributed(_ name: String, _ attributes: [String]) -> Translator {
        { operation, program throws(FormatError) in
            var values: [String: AttributeValue] = [:]
            for attribute in attributes {
                if let number = try operation.float(attribute) { values[attribute] = .float(number) }
            }
            try program.output(operation, try program.writer.apply(name, [try operation.value("x")], values))
        }
    }

    /// Floating-point numbers are float32 here, whatever the program calls them.
    static func cast(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let types: [String: ElementType] = [
            "fp16": .float32, "fp32": .float32, "fp64": .float32, "int32": .int32, "int64": .int32, "int16": .int32,
            "uint16": .int32, "int8": .int8, "uint8": .uint8, "bool": .bool,
        ]
        let name = try operation.text("dtype") ?? ""
        guard let type = types[name] else { throw .unsupported("type \"\(name)\"") }
        try program.output(operation, try program.writer.apply("Cast", [x], ["to": .elementType(type)]))
    }

    static func clip(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [
            try operation.value("x"), try program.writer.constant([try operation.float("alpha") ?? 0]),
            try program.writer.constant([try operation.float("beta") ?? 1]),
        ]
        try program.output(operation, try program.writer.apply("Clip", inputs))
    }

    static func relu6(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("x"), try program.writer.constant([0]), try program.writer.constant([6])]
        try program.output(operation, try program.writer.apply("Clip", inputs))
    }

    static func exp2(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try program.writer.constant([2]), try operation.value("x")]
        try program.output(operation, try program.writer.apply("Pow", inputs))
    }

    static func floorDivision(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("x"), try operation.value("y")]
        let quotient = try program.writer.apply("Div", inputs)
        // Quotients of integers are whole; shapes, for which this is used, are never negative.
        let isFloat = program.writer.type(of: inputs[0])?.elementType.isFloatingPoint ?? true
        try program.output(operation, isFloat ? try program.writer.apply("Floor", [quotient]) : quotient)
    }

    static func modulo(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("x"), try operation.value("y")]
        guard program.writer.type(of: inputs[0])?.elementType.isFloatingPoint ?? true else {
            return try program.output(operation, try program.writer.apply("Mod", inputs))
        }
        let quotient = try program.writer.apply("Floor", [try program.writer.apply("Div", inputs)])
        let whole = try program.writer.apply("Mul", [quotient, inputs[1]])
        try program.output(operation, try program.writer.apply("Sub", [inputs[0], whole]))
    }

    static func gelu(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        switch try operation.text("mode") ?? "EXACT" {
        case "EXACT": try program.output(operation, try program.writer.apply("Gelu", [x]))
        case "TANH_APPROXIMATION":
            try program.output(
                operation, try program.writer.apply("Gelu", [x], ["approximate": .string("tanh")]))
        case "SIGMOID_APPROXIMATION":
            let inside = try program.writer.apply("Mul", [x, try program.writer.constant([1.702])])
            let gate = try program.writer.apply("Sigmoid", [inside])
            try program.output(operation, try program.writer.apply("Mul", [x, gate]))
        default: throw .unsupported("this mode is not known")
        }
    }

    /// x with epsilon added, where there is one.
    private static func shifted(
        _ operation: MILOperation, _ program: MILTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let x = try operation.value("x")
        guard let epsilon = try operation.float("epsilon"), epsilon != 0 else { return x }
        return try program.writer.apply("Add", [x, try program.writer.constant([epsilon])])
    }

    static func inverse(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.apply("Reciprocal", [try shifted(operation, program)]))
    }

    static func logarithm(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try program.output(operation, try program.writer.apply("Log", [try shifted(operation, program)]))
    }

    static func reciprocalRoot(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let root = try program.writer.apply("Sqrt", [try shifted(operation, program)])
        try program.output(operation, try program.writer.apply("Reciprocal", [root]))
    }

    static func notEqual(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let equal = try program.writer.apply("Equal", [try operation.value("x"), try operation.value("y")])
        try program.output(operation, try program.writer.apply("Not", [equal]))
    }

    /// A slope for each channel.
    static func prelu(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let slope = try operation.value("alpha")
        let trailing = [Int](repeating: 1, count: max(0, try program.shape(x).count - 2))
        let column = try program.reshaped(slope, [-1] + trailing)
        try program.output(operation, try program.writer.apply("PRelu", [x, column]))
    }

    static func scaledTanh(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let beta = try program.writer.constant([try operation.float("beta") ?? 1])
        let inside = try program.writer.apply("Mul", [try operation.value("x"), beta])
        let alpha = try program.writer.constant([try operation.float("alpha") ?? 1])
        try program.output(
            operation, try program.writer.apply("Mul", [try program.writer.apply("Tanh", [inside]), alpha]))
    }

    static func select(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("cond"), try operation.value("a"), try operation.value("b")]
        try program.output(operation, try program.writer.apply("Where", inputs))
    }

    static func square(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        try program.output(operation, try program.writer.apply("Mul", [x, x]))
    }

    /// x where it is at least alpha, and 0 elsewhere.
    static func thresholdedRelu(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let alpha = try program.writer.constant([try operation.float("alpha") ?? 0])
        let isKept = try program.writer.apply("GreaterOrEqual", [x, alpha])
        let result = try program.writer.apply("Where", [isKept, x, try program.writer.constant([0])])
        try program.output(operation, result)
    }

    /// alpha · x below 0, and beta at most.
    static func clampedRelu(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let slope: [String: AttributeValue] = ["alpha": .float(try operation.float("alpha") ?? 1)]
        let bent = try program.writer.apply("LeakyRelu", [try operation.value("x")], slope)
        let beta = try program.writer.constant([try operation.float("beta") ?? 1])
        try program.output(operation, try program.writer.apply("Min", [bent, beta]))
    }

    /// alpha · x + beta
    static func linearActivation(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let alpha = try program.writer.constant([try operation.float("alpha") ?? 1])
        let scaled = try program.writer.apply("Mul", [try operation.value("x"), alpha])
        let beta = try program.writer.constant([try operation.float("beta") ?? 0])
        try program.output(operation, try program.writer.apply("Add", [scaled, beta]))
    }

    static func threshold(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let alpha = try program.writer.constant([try operation.float("alpha") ?? 0])
        try program.output(operation, try program.writer.apply("Max", [try operation.value("x"), alpha]))
    }
}
