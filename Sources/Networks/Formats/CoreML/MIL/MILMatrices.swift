import Graphs
import Tensors

extension MILOperatorKind {
    static func linear(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, weights) = (try operation.value("x"), try operation.value("weight"))
        let bias = try operation.optionalValue("bias")
        let result =
            try program.shape(x).count == 2
            ? program.writer.rowProduct(x, weights: weights, bias: bias)
            : program.writer.product(x, weights: weights, bias: bias)
        try program.output(operation, result)
    }

    static func matrixProduct(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        var operands: [Graph.ValueID] = []
        for (name, flag) in [("x", "transpose_x"), ("y", "transpose_y")] {
            let value = try operation.value(name)
            operands.append(try operation.bool(flag) ? try program.writer.transposingLastAxes(value) : value)
        }
        try program.output(operation, try program.writer.apply(MatMul(), operands))
    }

    static func einsum(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard let equation = try operation.text("equation") else { throw .invalid("the equation is missing") }
        let product: Einsum
        do throws(OperatorError) {
            product = try Einsum(equation: equation)
        } catch {
            throw error.isUnsupported ? .unsupported("Einsum: \(error)") : .invalid("Einsum: \(error)")
        }
        try program.output(operation, try program.writer.apply(product, try operation.values("values")))
    }

    /// softmax(q · kᵀ / √d + mask) · v
    static func attention(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let query = try operation.value("query")
        let keys = try program.writer.transposingLastAxes(try operation.value("key"))
        let last = try program.shape(query).count - 1
        let width = Float(try program.writer.fixedShape(of: query, axes: [last]).last ?? 1)
        let scale = try program.writer.constant(1 / width.squareRoot())
        let scaled = try program.writer.apply(Mul(), [query, scale])
        var scores = try program.writer.apply(MatMul(), [scaled, keys])
        if let mask = try operation.optionalValue("attn_mask") {
            if program.writer.type(of: mask)?.elementType == .bool {
                let hidden = try program.writer.constant(-.infinity)
                scores = try program.writer.apply(Where(), [mask, scores, hidden])
            } else {
                scores = try program.writer.apply(Add(), [scores, mask])
            }
        }
        let weights = try program.writer.apply(Softmax(axis: -1), [scores])
        try program.output(operation, try program.writer.apply(MatMul(), [weights, try operation.value("value")]))
    }

    static func softmax(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try unary(Softmax(axis: try operation.int("axis") ?? -1))(operation, program)
    }

    static func reduction(_ reduction: any Reduction.Type) -> Translator {
        { operation, program throws(FormatError) in
            let x = try operation.value("x")
            let (axes, keeps) = (try operation.ints("axes") ?? [], try operation.bool("keep_dims"))
            try program.output(operation, try program.writer.reduced(x, reduction, axes: axes, keepsAxes: keeps))
        }
    }

    static func extremum(_ search: any ExtremumSearch.Type) -> Translator {
        { operation, program throws(FormatError) in
            let axis = try operation.int("axis") ?? -1
            let keeps = try operation.bool("keep_dims", default: true)
            let x = try operation.value("x")
            let indices = try program.writer.extremum(x, search, axis: axis, keepsAxis: keeps)
            try program.output(operation, try program.writer.cast(indices, to: .int32))
        }
    }

    static func topK(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let count = try program.writer.constant(integers: [try operation.int("k") ?? 1], "count")
        let (axis, isLargest) = (try operation.int("axis") ?? -1, try !operation.bool("ascending"))
        let x = try operation.value("x")
        let top = try program.writer.top(x, count: count, axis: axis, isLargest: isLargest)
        try program.output(operation, top.values, try program.writer.cast(top.indices, to: .int32))
    }

    static func cumulativeSum(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, axis) = (try operation.value("x"), try operation.int("axis") ?? 0)
        let (isExclusive, isReverse) = (try operation.bool("exclusive"), try operation.bool("reverse"))
        try program.output(
            operation,
            try program.writer.cumulativeSum(x, axis: axis, isExclusive: isExclusive, isReverse: isReverse))
    }
}
