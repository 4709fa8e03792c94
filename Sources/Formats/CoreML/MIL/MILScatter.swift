import Graphs

extension MILOperatorKind {
    /// Slices of an axis, at the positions of indices of any shape, are replaced by or joined with those of `updates`.
    static func scatter(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let data = try operation.value("data")
        let indices = try program.int64(try operation.value("indices"))
        let rank = try program.shape(data).count
        let given = try operation.int("axis") ?? 0
        let axis = given < 0 ? given &+ rank : given
        guard axis >= 0, axis < rank else { throw .invalid("axis \(given) of \(rank) axes") }
        // ScatterND's slices are of the first axis, its indices vectors along the last.
        let indexRank = try program.shape(indices).count
        let last = try program.writer.constant(integers: [indexRank], "axes")
        let vectors = try program.writer.apply("Unsqueeze", [indices, last])
        let updates = try moved(try operation.value("updates"), axis..<axis + indexRank, to: 0, program)
        let result = try scattered(
            "ScatterND", [try moved(data, axis..<axis + 1, to: 0, program), vectors, updates], operation, program)
        try program.output(operation, try moved(result, 0..<1, to: axis, program))
    }

    static func scatterAlongAxis(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [
            try operation.value("data"), try program.int64(try operation.value("indices")),
            try operation.value("updates"),
        ]
        let axis = AttributeValue.int(try operation.int("axis") ?? 0)
        try program.output(operation, try scattered("ScatterElements", inputs, operation, program, ["axis": axis]))
    }

    static func scatterND(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [
            try operation.value("data"), try program.int64(try operation.value("indices")),
            try operation.value("updates"),
        ]
        try program.output(operation, try scattered("ScatterND", inputs, operation, program))
    }

    /// The operator with what the argument `mode` does where an update falls; a difference adds what is negated.
    private static func scattered(
        _ name: String, _ inputs: [Graph.ValueID], _ operation: MILOperation, _ program: MILTranslator,
        _ attributes: [String: AttributeValue] = [:]
    ) throws(FormatError) -> Graph.ValueID {
        var (inputs, attributes) = (inputs, attributes)
        let mode = try operation.text("mode") ?? "add"
        switch mode {
        case "update": break
        case "add", "mul", "max", "min": attributes["reduction"] = .string(mode)
        case "sub":
            inputs[2] = try program.writer.apply("Neg", [inputs[2]])
            attributes["reduction"] = .string("add")
        default: throw .unsupported("mode \"\(mode)\"")
        }
        return try program.writer.apply(name, inputs, attributes)
    }

    /// The value with some axes, in their order, at another place.
    private static func moved(
        _ id: Graph.ValueID, _ axes: Range<Int>, to place: Int, _ program: MILTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let rank = try program.shape(id).count
        guard axes.upperBound <= rank else { throw .invalid("\(rank) axes where \(axes.upperBound) are needed") }
        if axes.lowerBound == place { return id }
        var order = Array(0..<rank)
        order.removeSubrange(axes)
        order.insert(contentsOf: axes, at: place)
        return try program.writer.apply("Transpose", [id], ["perm": .ints(order)])
    }
}
