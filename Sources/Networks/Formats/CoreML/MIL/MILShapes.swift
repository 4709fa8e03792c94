import Graphs
import Tensors

extension MILOperatorKind {
    static func reshape(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        if case .tensor? = try operation.operand("shape"), let shape = try operation.ints("shape") {
            return try program.output(operation, try program.writer.reshaped(x, shape))
        }
        let shape = try program.writer.cast(try operation.value("shape"), to: .int64)
        try program.output(operation, try program.writer.apply(Reshape(), [x, shape]))
    }

    static func transpose(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        var order = try operation.ints("perm") ?? []
        if order.contains(where: { $0 < 0 }) {
            let rank = try program.shape(x).count
            order = order.map { $0 < 0 ? $0 &+ rank : $0 }
        }
        try program.output(operation, try program.writer.transposed(x, order))
    }

    /// Reshapes to two axes: those in front of `axis`, and the rest.
    static func flatten(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        try unary(Flatten(axis: try operation.int("axis") ?? 1))(operation, program)
    }

    static func expandDims(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        guard let axes = try operation.ints("axes") else { throw .invalid("the axes are missing") }
        try program.output(operation, try program.writer.unsqueezed(x, axes: axes))
    }

    static func squeeze(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        try program.output(operation, try program.writer.squeezed(x, axes: try operation.ints("axes")))
    }

    static func concat(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let values = try operation.values("values")
        let axis = try operation.int("axis") ?? 0
        guard try operation.bool("interleave"), let first = values.first else {
            return try program.output(operation, try program.writer.apply(Concat(axis: axis), values))
        }
        let shape = try program.shape(first)
        let position = axis < 0 ? axis &+ shape.count : axis
        guard shape.indices.contains(position) else { throw .invalid("axis \(axis) of \(shape)") }
        for value in values {
            guard try program.shape(value) == shape else { throw .invalid("interleaves values of several shapes") }
        }
        try program.output(operation, try program.writer.interleaved(values, axis: position))
    }

    static func stack(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (axis, values) = (try operation.int("axis") ?? 0, try operation.values("values"))
        try program.output(operation, try program.writer.stacked(values, axis: axis))
    }

    static func split(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, axis) = (try operation.value("x"), try operation.int("axis") ?? 0)
        let sizes = try operation.ints("split_sizes")
        let parts = try program.writer.split(x, axis: axis, sizes: sizes, count: operation.outputs.count)
        try program.output(operation, parts)
    }

    static func tile(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (x, repeats) = (try operation.value("x"), try operation.openInts("reps") ?? [])
        guard let counts = try operation.vector("reps", repeats) else {
            return try program.output(operation, try program.writer.tiled(x, repeats.compactMap { $0 }))
        }
        try program.output(operation, try program.writer.apply(Tile(), [x, counts]))
    }

    static func reverse(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let all = Array(try program.shape(x).indices)
        try program.output(operation, try program.writer.reversed(x, axes: try operation.ints("axes") ?? all))
    }

    static func sliceByIndex(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        guard let starts = try operation.openInts("begin"), let ends = try operation.openInts("end") else {
            throw .invalid("as many begins as ends are expected")
        }
        let range = try SliceRange(
            starts: starts, ends: ends, strides: try operation.ints("stride") ?? starts.map { _ in 1 },
            beginMask: try operation.bools("begin_mask"), endMask: try operation.bools("end_mask"),
            squeezeMask: try operation.bools("squeeze_mask"))
        let begins = try operation.vector("begin", starts)
        try program.output(
            operation,
            try program.writer.sliced(x, range, begins: begins, ends: try operation.vector("end", ends)))
    }

    /// A size of −1 stands for the rest of the axis.
    static func sliceBySize(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        guard let starts = try operation.openInts("begin"), let sizes = try operation.openInts("size"),
            starts.count == sizes.count
        else { throw .invalid("as many begins as sizes are expected") }
        var range = try SliceRange(
            starts: starts, ends: sizes, strides: starts.map { _ in 1 }, beginMask: [], endMask: [], squeezeMask: [])
        for axis in starts.indices {
            if sizes[axis] == -1 {
                range.ends[axis] = .fixed(SliceRange.last)
            } else if let start = starts[axis], let size = sizes[axis] {
                range.ends[axis] = .fixed(start &+ size)
            } else {
                range.ends[axis] = .sum(axis)
            }
        }
        let isOpen: [Int?] = (starts + sizes).contains(nil) ? [nil] : []
        let vectors = (try operation.vector("begin", isOpen), try operation.vector("size", isOpen))
        try program.output(operation, try program.writer.sliced(x, range, begins: vectors.0, ends: vectors.1))
    }

    /// Pads the last axes. There is a begin and an end for each.
    static func pad(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let rank = try program.shape(x).count
        let amounts = try operation.ints("pad") ?? []
        let skipped = rank - amounts.count / 2
        guard amounts.count % 2 == 0, skipped >= 0 else { throw .invalid("\(amounts.count) pads for \(rank) axes") }
        let modes: [String: Pad.Mode] = ["constant": .constant, "reflect": .reflect, "replicate": .edge]
        let name = try operation.text("mode") ?? "constant"
        guard let mode = modes[name] else { throw .unsupported("mode \(name)") }
        let zeros = [Int](repeating: 0, count: skipped)
        let pairs = 0..<amounts.count / 2
        let pads = zeros + pairs.map { amounts[2 * $0] } + zeros + pairs.map { amounts[2 * $0 + 1] }
        let number = try operation.float("constant_val") ?? 0
        try program.output(operation, try program.writer.padded(x, pads, mode, with: number))
    }

    static func shapeOf(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let shape = try program.writer.shapeValue(of: try operation.value("x"))
        try program.output(operation, try program.writer.cast(shape, to: .int32))
    }

    static func fill(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let number = try operation.float("value") ?? 0
        let shape = try program.writer.cast(try operation.value("shape"), to: .int64)
        try program.output(operation, try program.writer.filled(shape, with: number))
    }

    static func range(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("start"), try operation.value("end"), try operation.value("step")]
        try program.output(operation, try program.writer.apply(RangeOperator(), inputs))
    }

    static func gather(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        guard try operation.int("batch_dims") ?? 0 == 0 else { throw .unsupported("batch dimensions") }
        let inputs = [try operation.value("x"), try operation.value("indices")]
        let gather = Gather(axis: try operation.int("axis") ?? 0)
        try program.output(operation, try program.writer.apply(gather, inputs))
    }

    static func gatherAlongAxis(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let inputs = [try operation.value("x"), try operation.value("indices")]
        let gather = GatherElements(axis: try operation.int("axis") ?? 0)
        try program.output(operation, try program.writer.apply(gather, inputs))
    }

    static func gatherND(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let indices = try program.writer.cast(try operation.value("indices"), to: .int64)
        let gather = GatherND(batchAxes: try operation.int("batch_dims") ?? 0)
        try program.output(operation, try program.writer.apply(gather, [try operation.value("x"), indices]))
    }

    static func oneHot(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let (off, on) = (try operation.float("off_value") ?? 0, try operation.float("on_value") ?? 1)
        let indices = try operation.value("indices")
        let size = try program.writer.constant(integers: [try operation.int("one_hot_vector_size") ?? 1], "size")
        let axis = try operation.int("axis") ?? -1
        try program.output(
            operation, try program.writer.oneHot(indices, size: size, off: off, on: on, axis: axis))
    }

    static func bandPart(_ operation: MILOperation, _ program: MILTranslator) throws(FormatError) {
        let x = try operation.value("x")
        let (below, above) = (try operation.int("lower") ?? -1, try operation.int("upper") ?? -1)
        try program.output(operation, try program.writer.band(x, below: below, above: above))
    }
}
