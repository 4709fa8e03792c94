import Graphs

extension MILOperatorKind {
    private static let modes: [String: ScatterMode] = [
        "update": .update, "add": .add, "sub": .subtract, "mul": .multiply, "max": .maximum, "min": .minimum,
    ]

    private static func mode(_ operation: MILOperation) throws(FormatError) -> ScatterMode {
        let name = try operation.text("mode") ?? "add"
        guard let mode = modes[name] else { throw .unsupported("mode \"\(name)\"") }
        return mode
    }

    /// Replaces slices of an axis by those of `updates`, or combines them, at indices of any shape.
    static func scatter(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let data = try operation.value("data")
        let indices = try program.writer.cast(try operation.value("indices"), to: .int64)
        let rank = try program.shape(data).count
        let given = try operation.int("axis") ?? 0
        let axis = given < 0 ? given &+ rank : given
        guard axis >= 0, axis < rank else { throw .invalid("axis \(given) of \(rank) axes") }
        // ScatterND takes slices along the first axis, and indices as vectors along the last axis.
        let indexRank = try program.shape(indices).count
        let vectors = try program.writer.unsqueezed(indices, axes: [indexRank])
        let updates = try program.writer.moved(try operation.value("updates"), axis..<axis + indexRank, to: 0)
        let front = try program.writer.moved(data, axis..<axis + 1, to: 0)
        let result = try scattered(front, at: vectors, updates, operation, program)
        try program.output(operation, try program.writer.moved(result, 0..<1, to: axis))
    }

    static func scatterAlongAxis(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (data, indices) = (try operation.value("data"), try operation.value("indices"))
        let integers = try program.writer.cast(indices, to: .int64)
        let (updates, axis) = (try operation.value("updates"), try operation.int("axis") ?? 0)
        try program.output(
            operation, try scattered(data, at: integers, updates, operation, program, axis: axis))
    }

    static func scatterND(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (data, indices) = (try operation.value("data"), try operation.value("indices"))
        let integers = try program.writer.cast(indices, to: .int64)
        let updates = try operation.value("updates")
        try program.output(operation, try scattered(data, at: integers, updates, operation, program))
    }

    private static func scattered(
        _ data: Graph.ValueID, at indices: Graph.ValueID, _ updates: Graph.ValueID, _ operation: MILOperation,
        _ program: MILTranslator, axis: Int? = nil
    ) throws(FormatError) -> Graph.ValueID {
        let mode = try mode(operation)
        let updates = try program.writer.scatterable(updates, mode)
        return try program.writer.scattered(data, at: indices, updates, mode, axis: axis)
    }
}
