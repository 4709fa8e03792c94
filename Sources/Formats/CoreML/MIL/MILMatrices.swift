import Graphs
import Tensors

extension MILOperatorKind {
    static func linear(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, weights) = (try operation.value("x"), try operation.value("weight"))
        let bias = try operation.optionalValue("bias")
        if try program.shape(x).count == 2 {
            let inputs = [x, weights] + (bias.map { [$0] } ?? [])
            return try program.output(
                operation, try program.writer.apply("Gemm", inputs, ["transB": .int(1)]))
        }
        let matrix = try program.writer.apply("Transpose", [weights], ["perm": .ints([1, 0])])
        var result = try program.writer.apply("MatMul", [x, matrix])
        if let bias { result = try program.writer.apply("Add", [result, bias]) }
        try program.output(operation, result)
    }

    static func matrixProduct(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        var operands: [Graph.ValueID] = []
        for (name, flag) in [("x", "transpose_x"), ("y", "transpose_y")] {
            let value = try operation.value(name)
            operands.append(try operation.bool(flag) ? try transposingLast(value, program) : value)
        }
        try program.output(operation, try program.writer.apply("MatMul", operands))
    }

    private static func transposingLast(
        _ x: Graph.ValueID, _ program: MILTranslator
    ) throws(FormatError) -> Graph.ValueID {
        var order = Array(try program.shape(x).indices)
        guard order.count >= 2 else { return x }
        order.swapAt(order.count - 1, order.count - 2)
        return try program.writer.apply("Transpose", [x], ["perm": .ints(order)])
    }

    static func einsum(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let equation = try operation.text("equation") else { throw .invalid("the equation is missing") }
        try program.output(
            operation,
            try program.writer.apply("Einsum", try operation.values("values"), ["equation": .string(equation)]))
    }

    /// softmax(q · kᵀ / √d + mask) · v
    static func attention(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let query = try operation.value("query")
        let keys = try transposingLast(try operation.value("key"), program)
        let width = Float(try program.shape(query).last ?? 1)
        let scale = try program.writer.constant([1 / width.squareRoot()])
        let scaled = try program.writer.apply("Mul", [query, scale])
        var scores = try program.writer.apply("MatMul", [scaled, keys])
        if let mask = try operation.optionalValue("attn_mask") {
            if program.writer.type(of: mask)?.elementType == .bool {
                let hidden = try program.writer.constant([-Float.infinity])
                scores = try program.writer.apply("Where", [mask, scores, hidden])
            } else {
                scores = try program.writer.apply("Add", [scores, mask])
            }
        }
        let weights = try program.writer.apply("Softmax", [scores], ["axis": .int(-1)])
        try program.output(operation, try program.writer.apply("MatMul", [weights, try operation.value("value")]))
    }

    static func softmax(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let axis = try operation.int("axis") ?? -1
        try program.output(
            operation, try program.writer.apply("Softmax", [try operation.value("x")], ["axis": .int(axis)]))
    }

    static func reduction(_ name: String) -> Translator {
        { operation, program throws(FormatError) in
            var inputs = [try operation.value("x")]
            if let axes = try operation.ints("axes"), !axes.isEmpty {
                inputs.append(try program.writer.constant(integers: axes, "axes"))
            }
            let keeps = try operation.bool("keep_dims")
            try program.output(operation, try program.writer.apply(name, inputs, ["keepdims": .bool(keeps)]))
        }
    }

    static func extremum(_ name: String) -> Translator {
        { operation, program throws(FormatError) in
            let attributes: [String: AttributeValue] = [
                "axis": .int(try operation.int("axis") ?? -1),
                "keepdims": .bool(try operation.bool("keep_dims", default: true)),
            ]
            let indices = try program.writer.apply(name, [try operation.value("x")], attributes)
            try program.output(operation, try program.int32(indices))
        }
    }

    static func topK(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let count = try program.writer.constant(integers: [try operation.int("k") ?? 1], "count")
        let attributes: [String: AttributeValue] = [
            "axis": .int(try operation.int("axis") ?? -1), "largest": .bool(try !operation.bool("ascending")),
            "sorted": .int(1),
        ]
        let results = try program.writer.apply(
            "TopK", [try operation.value("x"), count], attributes, outputCount: 2)
        try program.output(operation, results[0], try program.int32(results[1]))
    }

    static func cumulativeSum(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let axis = try program.writer.constant(integers: [try operation.int("axis") ?? 0], "axis")
        let attributes: [String: AttributeValue] = [
            "exclusive": .bool(try operation.bool("exclusive")), "reverse": .bool(try operation.bool("reverse")),
        ]
        try program.output(
            operation, try program.writer.apply("CumSum", [try operation.value("x"), axis], attributes))
    }
}
