import Graphs
import Tensors

extension MILOperatorKind {
    static func reshape(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        if case .tensor? = try operation.operand("shape"), let shape = try operation.ints("shape") {
            return try program.output(operation, try program.reshaped(x, shape))
        }
        let shape = try program.int64(try operation.value("shape"))
        try program.output(operation, try program.writer.apply("Reshape", [x, shape]))
    }

    static func transpose(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        var order = try operation.ints("perm") ?? []
        if order.contains(where: { $0 < 0 }) {
            let rank = try program.shape(x).count
            order = order.map { $0 < 0 ? $0 &+ rank : $0 }
        }
        try program.output(operation, try program.writer.apply("Transpose", [x], ["perm": .ints(order)]))
    }

    /// Two axes: those in front of one, and the rest.
    static func flatten(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let attributes = ["axis": AttributeValue.int(try operation.int("axis") ?? 1)]
        try program.output(
            operation, try program.writer.apply("Flatten", [try operation.value("x")], attributes))
    }

    private static func withAxes(
        _ name: String, _ operation: MILOperation, _ program: MILTranslator
    ) throws(FormatError) {
        var inputs = [try operation.value("x")]
        if let axes = try operation.ints("axes") { inputs.append(try program.writer.constant(integers: axes, "axes")) }
        try program.output(operation, try program.writer.apply(name, inputs))
    }

    static func expandDims(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try withAxes("Unsqueeze", operation, program)
    }

    static func squeeze(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try withAxes("Squeeze", operation, program)
    }

    static func concat(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let values = try operation.values("values")
        let axis = try operation.int("axis") ?? 0
        guard try operation.bool("interleave"), let first = values.first else {
            return try program.output(operation, try program.writer.apply("Concat", values, ["axis": .int(axis)]))
        }
        // One element of each in turn: the values beside one another on an axis of their own, which is then joined.
        var shape = try program.shape(first)
        let position = axis < 0 ? axis &+ shape.count : axis
        guard shape.indices.contains(position) else { throw .invalid("axis \(axis) of \(shape)") }
        let axes = try program.writer.constant(integers: [position + 1], "axes")
        var parts: [Graph.ValueID] = []
        for value in values {
            guard try program.shape(value) == shape else { throw .invalid("interleaves values of several shapes") }
            parts.append(try program.writer.apply("Unsqueeze", [value, axes]))
        }
        let together = try program.writer.apply("Concat", parts, ["axis": .int(position + 1)])
        // 0 keeps the extent of the batch.
        if position > 0 { shape[0] = 0 }
        shape[position] = -1
        try program.output(operation, try program.reshaped(together, shape))
    }

    static func stack(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let axis = try operation.int("axis") ?? 0
        let axes = try program.writer.constant(integers: [axis], "axes")
        var values = try operation.values("values")
        for index in values.indices { values[index] = try program.writer.apply("Unsqueeze", [values[index], axes]) }
        try program.output(operation, try program.writer.apply("Concat", values, ["axis": .int(axis)]))
    }

    static func split(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let count = operation.outputs.count
        var inputs = [try operation.value("x")]
        var attributes = ["axis": AttributeValue.int(try operation.int("axis") ?? 0)]
        if let sizes = try operation.ints("split_sizes") {
            inputs.append(try program.writer.constant(integers: sizes, "sizes"))
        } else {
            attributes["num_outputs"] = .int(count)
        }
        try program.output(operation, try program.writer.apply("Split", inputs, attributes, outputCount: count))
    }

    static func tile(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let repeats = try program.writer.constant(integers: try operation.ints("reps") ?? [], "repeats")
        try program.output(operation, try program.writer.apply("Tile", [try operation.value("x"), repeats]))
    }

    static func reverse(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let all = Array(try program.shape(x).indices)
        let axes = try operation.ints("axes") ?? all
        let inputs = [
            x, try program.writer.constant(integers: axes.map { _ in Int(Int32.max) }, "starts"),
            try program.writer.constant(integers: axes.map { _ in Int(Int32.min) }, "ends"),
            try program.writer.constant(integers: axes, "axes"),
            try program.writer.constant(integers: axes.map { _ in -1 }, "steps"),
        ]
        try program.output(operation, try program.writer.apply("Slice", inputs))
    }

    static func sliceByIndex(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        guard var starts = try operation.ints("begin"), var ends = try operation.ints("end"), starts.count == ends.count
        else { throw .invalid("as many begins as ends are expected") }
        var strides = try operation.ints("stride") ?? starts.map { _ in 1 }
        let (beginMask, endMask) = (try operation.bools("begin_mask"), try operation.bools("end_mask"))
        let squeezeMask = try operation.bools("squeeze_mask")
        guard strides.count == starts.count else { throw .invalid("as many strides as begins are expected") }
        func isSet(_ mask: [Bool], _ axis: Int) -> Bool { axis < mask.count && mask[axis] }
        let (first, last) = (Int(Int32.min), Int(Int32.max))
        var squeezed: [Int] = []
        for axis in starts.indices {
            if isSet(squeezeMask, axis) {
                squeezed.append(axis)
                if isSet(beginMask, axis) { starts[axis] = 0 }
                (ends[axis], strides[axis]) = (starts[axis] == -1 ? last : starts[axis] &+ 1, 1)
                continue
            }
            if isSet(beginMask, axis) { starts[axis] = strides[axis] > 0 ? 0 : last }
            if isSet(endMask, axis) { ends[axis] = strides[axis] > 0 ? last : first }
        }
        let inputs = [
            x, try program.writer.constant(integers: starts, "starts"),
            try program.writer.constant(integers: ends, "ends"),
            try program.writer.constant(integers: Array(starts.indices), "axes"),
            try program.writer.constant(integers: strides, "steps"),
        ]
        var result = try program.writer.apply("Slice", inputs)
        if !squeezed.isEmpty {
            let axes = try program.writer.constant(integers: squeezed, "axes")
            result = try program.writer.apply("Squeeze", [result, axes])
        }
        try program.output(operation, result)
    }

    /// A size of −1 means all that is left.
    static func sliceBySize(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        guard let starts = try operation.ints("begin"), let sizes = try operation.ints("size"),
            starts.count == sizes.count
        else { throw .invalid("as many begins as sizes are expected") }
        let ends = zip(starts, sizes).map { $1 == -1 ? Int(Int32.max) : $0 &+ $1 }
        let inputs = [
            x, try program.writer.constant(integers: starts, "starts"),
            try program.writer.constant(integers: ends, "ends"),
            try program.writer.constant(integers: Array(starts.indices), "axes"),
        ]
        try program.output(operation, try program.writer.apply("Slice", inputs))
    }

    /// Begin and end for the last axes, as many as there are numbers for.
    static func pad(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let rank = try program.shape(x).count
        let amounts = try operation.ints("pad") ?? []
        let skipped = rank - amounts.count / 2
        guard amounts.count % 2 == 0, skipped >= 0 else { throw .invalid("\(amounts.count) pads for \(rank) axes") }
        let modes = ["constant": "constant", "reflect": "reflect", "replicate": "edge"]
        let name = try operation.text("mode") ?? "constant"
        guard let mode = modes[name] else { throw .unsupported("mode \(name)") }
        let zeros = [Int](repeating: 0, count: skipped)
        let pairs = 0..<amounts.count / 2
        let pads = zeros + pairs.map { amounts[2 * $0] } + zeros + pairs.map { amounts[2 * $0 + 1] }
        let value = try program.writer.constant([try operation.float("constant_val") ?? 0])
        let inputs = [x, try program.writer.constant(integers: pads, "pads"), value]
        try program.output(operation, try program.writer.apply("Pad", inputs, ["mode": .string(mode)]))
    }

    static func shapeOf(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let shape = try program.writer.apply("Shape", [try operation.value("x")])
        try program.output(operation, try program.int32(shape))
    }

    static func fill(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let value = try GraphWriter.tensor([try operation.float("value") ?? 0], [1])
        let shape = try program.int64(try operation.value("shape"))
        try program.output(
            operation, try program.writer.apply("ConstantOfShape", [shape], ["value": .tensor(value)]))
    }

    static func range(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("start"), try operation.value("end"), try operation.value("step")]
        try program.output(operation, try program.writer.apply("Range", inputs))
    }

    static func gather(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard try operation.int("batch_dims") ?? 0 == 0 else { throw .unsupported("batch dimensions") }
        let inputs = [try operation.value("x"), try operation.value("indices")]
        let attributes = ["axis": AttributeValue.int(try operation.int("axis") ?? 0)]
        try program.output(operation, try program.writer.apply("Gather", inputs, attributes))
    }

    static func gatherAlongAxis(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("x"), try operation.value("indices")]
        let attributes = ["axis": AttributeValue.int(try operation.int("axis") ?? 0)]
        try program.output(operation, try program.writer.apply("GatherElements", inputs, attributes))
    }

    static func gatherND(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let indices = try program.int64(try operation.value("indices"))
        let attributes = ["batch_dims": AttributeValue.int(try operation.int("batch_dims") ?? 0)]
        try program.output(
            operation, try program.writer.apply("GatherND", [try operation.value("x"), indices], attributes))
    }

    static func oneHot(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let values = [try operation.float("off_value") ?? 0, try operation.float("on_value") ?? 1]
        let inputs = [
            try operation.value("indices"),
            try program.writer.constant(integers: [try operation.int("one_hot_vector_size") ?? 1], "size"),
            try program.writer.constant(values, shape: [2], "values"),
        ]
        let attributes = ["axis": AttributeValue.int(try operation.int("axis") ?? -1)]
        try program.output(operation, try program.writer.apply("OneHot", inputs, attributes))
    }

    static func bandPart(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        var x = try operation.value("x")
        for (name, isUpper) in [("lower", true), ("upper", false)] {
            guard let width = try operation.int(name), width >= 0 else { continue }
            let k = program.writer.constant(try GraphWriter.tensor([Int64(isUpper ? -width : width)], []), "diagonal")
            x = try program.writer.apply("Trilu", [x, k], ["upper": .bool(isUpper)])
        }
        try program.output(operation, x)
    }
}
