import Graphs
import Tensors

extension TFLiteGraphReader {
    mutating func addReshape(_ node: TFLiteNode) throws(FormatError) {
        let x = try plain(try node.input(0))
        let shape: Graph.ValueID
        if node.optionalInput(1) != nil {
            let value = try plain(try node.input(1))
            shape = try apply(Cast(to: .int64), [value], "\(node.name)/shape")[0]
        } else {
            shape = try addIntegers(try node.options?.ints(0) ?? [], node)
        }
        define(try node.output(), try apply(Reshape(allowZero: true), [x, shape], node))
    }

    mutating func addAxes(_ node: TFLiteNode) throws(FormatError) {
        let x = try plain(try node.input(0))
        guard node.kind == .squeeze else {
            let axes = try addIntegers(try integers(node, 1), node)
            define(try node.output(), try apply(Unsqueeze(), [x, axes], node))
            return
        }
        let axes = try node.options?.ints(0) ?? []
        let operands = axes.isEmpty ? [x] : [x, try addIntegers(axes, node)]
        define(try node.output(), try apply(Squeeze(), operands, node))
    }

    mutating func addTranspose(_ node: TFLiteNode) throws(FormatError) {
        let input = try node.input(0)
        let permutation = try integers(node, 1)
        define(
            try node.output(), try apply(Transpose(permutation: permutation), [try plain(input)], node))
    }

    mutating func addConcatenation(_ node: TFLiteNode) throws(FormatError) {
        let output = try node.output()
        let activation = try node.activation(1)
        guard let first = node.inputs.first, first >= 0 else { throw node.invalid("it joins nothing") }
        let rank = rank(first)
        var axis = try node.int(0)
        if axis < 0 { axis += rank }
        guard (0..<max(rank, 1)).contains(axis) else { throw node.invalid("axis \(axis) of \(rank)") }
        var values: [Graph.ValueID] = []
        let isChannelsFirst =
            rank >= 3 && node.inputs.contains { $0 >= 0 && forms[$0].isChannelsFirst }
        let y = quantization(output)
        for position in node.inputs.indices {
            let index = try node.input(position)
            var value = try isChannelsFirst ? channelsFirst(index) : plain(index)
            if let x = quantization(index), let y, x != y, let type = elementType(index) {
                let table = try node.checked { () throws(OperatorError) in
                    try IntegerFunction(x: x, y: y, elementType: type).rescaling()
                }
                value = try apply(
                    Lookup(), [value, addConstant(table, "\(node.name)/table")], "\(node.name)/rescaled")[0]
            }
            values.append(value)
        }
        let target = isChannelsFirst ? Self.channelsFirst(axis, rank: rank) : axis
        var value = try apply(Concat(axis: target), values, node)
        if y == nil { value = try activated(value, activation, node) }
        define(output, value, isChannelsFirst: isChannelsFirst)
    }

    mutating func addPad(_ node: TFLiteNode) throws(FormatError) {
        let (input, output) = (try node.input(0), try node.output())
        let rank = rank(input)
        let open = try openIntegers(node, 1)
        guard open.count == 2 * rank else { throw node.invalid("\(open.count) paddings of \(rank) axes") }
        let pairs = open.map { $0 ?? 0 }
        let isOpen = open.contains(nil)
        let isChannelsFirst = forms[input].isChannelsFirst && rank >= 3 && !isOpen
        var pads = [Int](repeating: 0, count: 2 * rank)
        for axis in 0..<rank {
            let target = isChannelsFirst ? Self.channelsFirst(axis, rank: rank) : axis
            (pads[target], pads[rank + target]) = (pairs[2 * axis], pairs[2 * axis + 1])
        }
        guard pads.allSatisfy({ $0 >= 0 }) else { throw node.invalid("paddings \(pairs)") }
        let x = try isChannelsFirst ? channelsFirst(input) : plain(input)
        var operation = Pad()
        var operands: [Graph.ValueID?] = [x, try isOpen ? openPads(rank, node) : addIntegers(pads, node)]
        if node.kind == .mirrorPad {
            guard try node.byte(0) == 0 else { throw node.unsupported("symmetric padding") }
            operation.mode = .reflect
        } else if node.kind == .padV2 {
            let value = try plain(try node.input(2))
            operands.append(rank == 0 ? value : try scalar(value, node))
        } else if let y = quantization(output), let type = elementType(output) {
            let fill = try node.checked { () throws(OperatorError) -> Tensor in
                do throws(TensorError) {
                    return try Tensor([Int64(y.zeroPoints[0])], as: type, shape: [])
                } catch {
                    throw .tensor(error)
                }
            }
            operands.append(addConstant(fill, "\(node.name)/fill"))
        }
        define(output, try apply(operation, operands, node), isChannelsFirst: isChannelsFirst)
    }

    /// The paddings of an operand, a begin and an end for each axis, as all begins and then all ends.
    private mutating func openPads(_ rank: Int, _ node: TFLiteNode) throws(FormatError) -> Graph.ValueID {
        let pairs = try apply(
            Reshape(), [try integerValue(node, 1), try addIntegers([rank, 2], node)], "\(node.name)/pairs")[0]
        let moved = try apply(Transpose(permutation: [1, 0]), [pairs], "\(node.name)/moved")[0]
        return try apply(Reshape(), [moved, try addIntegers([-1], node)], "\(node.name)/pads")[0]
    }

    /// A value of one element, reshaped to have no axes.
    private mutating func scalar(_ value: Graph.ValueID, _ node: TFLiteNode) throws(FormatError) -> Graph.ValueID {
        if writer.types[value.index]?.rank == 0 { return value }
        return try apply(Reshape(), [value, try addIntegers([], node)], "\(node.name)/scalar")[0]
    }

    mutating func addSlice(_ node: TFLiteNode) throws(FormatError) {
        let input = try node.input(0)
        let rank = rank(input)
        if node.kind == .reverseV2 {
            let axes = try integers(node, 1)
            let slice = TFLiteSlice(
                starts: axes.map { _ in .fixed(-1) }, ends: axes.map { _ in .fixed(Int(Int32.min)) },
                steps: axes.map { _ in -1 }, axes: axes)
            define(try node.output(), try sliced(try plain(input), slice, node))
            return
        }
        if node.kind == .slice {
            let (begins, sizes) = (try openIntegers(node, 1), try openIntegers(node, 2))
            let known = (begins + sizes).compactMap { $0 }
            guard begins.count == rank, sizes.count == rank, begins.allSatisfy({ $0 ?? 0 >= 0 }),
                known.allSatisfy({ $0.magnitude <= 1 << 31 })
            else { throw node.invalid("begins and sizes \(known) do not fit \(rank) axes") }
            var (starts, ends): ([SliceBound], [SliceBound]) = ([], [])
            for axis in 0..<rank {
                starts.append(begins[axis].map { .fixed($0) } ?? .begin(axis))
                if let size = sizes[axis], size < 0 {
                    ends.append(.fixed(SliceBound.last))
                } else if let begin = begins[axis], let size = sizes[axis] {
                    ends.append(.fixed(begin + size))
                } else {
                    ends.append(.sum(axis))
                }
            }
            let slice = TFLiteSlice(
                starts: starts, ends: ends, steps: begins.map { _ in 1 }, axes: Array(0..<rank))
            define(try node.output(), try sliced(try plain(input), slice, node))
            return
        }
        let slice = try TFLiteSlice(
            strided: node, begins: openIntegers(node, 1), ends: openIntegers(node, 2), strides: integers(node, 3),
            rank: rank)
        var value = try sliced(try plain(input), slice, node)
        if !slice.dropped.isEmpty {
            value = try apply(Squeeze(), [value, try addIntegers(slice.dropped, node)], "\(node.name)/squeezed")[0]
        }
        if !slice.added.isEmpty {
            value = try apply(Unsqueeze(), [value, try addIntegers(slice.added, node)], "\(node.name)/unsqueezed")[0]
        }
        define(try node.output(), value)
    }

    private mutating func sliced(
        _ value: Graph.ValueID, _ slice: TFLiteSlice, _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        var vectors: [Graph.ValueID?] = [nil, nil]
        if slice.isOpen { vectors = [try integerValue(node, 1), try integerValue(node, 2)] }
        var operands: [Graph.ValueID?] = [value]
        for bounds in [slice.starts, slice.ends] {
            do throws(GraphError) {
                operands.append(
                    try writer.addBounds(
                        bounds, begins: vectors[0], ends: vectors[1], named: "\(node.name)/integers"))
            } catch {
                throw .graph(error)
            }
        }
        for list in [slice.axes, slice.steps] { operands.append(try addIntegers(list, node)) }
        return try apply(Slice(), operands, node)
    }

    mutating func addSplit(_ node: TFLiteNode) throws(FormatError) {
        let isV = node.kind == .splitV
        let input = try node.input(isV ? 0 : 1)
        let rank = rank(input)
        guard var axis = try integers(node, isV ? 2 : 0).first else { throw node.invalid("it names no axis") }
        if axis < 0 { axis += rank }
        guard (0..<max(rank, 1)).contains(axis) else { throw node.invalid("axis \(axis) of \(rank)") }
        let isChannelsFirst = forms[input].isChannelsFirst
        let x = try isChannelsFirst ? channelsFirst(input) : plain(input)
        var operation = Split(axis: isChannelsFirst ? Self.channelsFirst(axis, rank: rank) : axis)
        var operands: [Graph.ValueID?] = [x]
        if isV {
            let sizes = try integers(node, 1)
            let given = sizes.filter { $0 != -1 }
            guard given.count + 1 >= sizes.count, given.allSatisfy({ (0...Int(Int32.max)).contains($0) }) else {
                throw node.invalid("the sizes \(sizes.prefix(8)); they are at least 0, and one may be −1 for the rest")
            }
            var parts = sizes.map(TFLiteExtent.fixed)
            if let rest = sizes.firstIndex(of: -1) {
                let sum = given.reduce(0, +)
                if let extent = openExtents(input)[axis] {
                    guard sum <= extent else { throw node.invalid("parts of \(sum) of an axis of \(extent)") }
                    parts[rest] = .fixed(extent - sum)
                } else {
                    parts[rest] = .open(x, axis: operation.axis, Sub(), sum)
                }
            }
            operands.append(try addExtents(parts, node))
        } else {
            operation.partCount = node.outputs.count
        }
        let parts = try apply(operation, operands, node.name, count: node.outputs.count)
        for (part, output) in zip(parts, node.outputs) { define(output, part, isChannelsFirst: isChannelsFirst) }
    }

    mutating func addStack(_ node: TFLiteNode) throws(FormatError) {
        if node.kind == .pack {
            var values: [Graph.ValueID] = []
            guard let first = node.inputs.first, first >= 0 else { throw node.invalid("it joins nothing") }
            var axis = try node.int(1)
            if axis < 0 { axis += rank(first) + 1 }
            for position in node.inputs.indices {
                let x = try plain(try node.input(position))
                values.append(try apply(Unsqueeze(), [x, try addIntegers([axis], node)], "\(node.name)/part")[0])
            }
            guard axis >= 0 else { throw node.invalid("axis \(axis)") }
            define(try node.output(), try apply(Concat(axis: axis), values, node))
            return
        }
        let input = try node.input(0)
        var axis = try node.int(1)
        if axis < 0 { axis += rank(input) }
        guard axis >= 0 else { throw node.invalid("axis \(axis)") }
        var operation = Split(axis: axis)
        operation.partCount = node.outputs.count
        let parts = try apply(operation, [try plain(input)], "\(node.name)/parts", count: node.outputs.count)
        for (part, output) in zip(parts, node.outputs) {
            define(output, try apply(Squeeze(), [part, try addIntegers([axis], node)], node))
        }
    }

    mutating func addGather(_ node: TFLiteNode) throws(FormatError) {
        let (x, indices) = (try plain(try node.input(0)), try plain(try node.input(1)))
        guard node.kind == .gather else {
            let wide = try apply(Cast(to: .int64), [indices], "\(node.name)/indices")[0]
            define(try node.output(), try apply(GatherND(), [x, wide], node))
            return
        }
        guard try node.int(1) == 0 else { throw node.unsupported("batches of indices") }
        define(try node.output(), try apply(Gather(axis: try node.int(0)), [x, indices], node))
    }

    mutating func addRepetition(_ node: TFLiteNode) throws(FormatError) {
        let x = try plain(try node.input(0))
        let counts = try apply(Cast(to: .int64), [try plain(try node.input(1))], "\(node.name)/counts")[0]
        let operation: any Operator = node.kind == .tile ? Tile() : Expand()
        define(try node.output(), try apply(operation, [x, counts], node))
    }

    mutating func addShapeArithmetic(_ node: TFLiteNode) throws(FormatError) {
        let output = try node.output()
        guard let type = elementType(output) else { throw node.unsupported("its output's type") }
        switch node.kind {
        case .shape, .rank:
            let shape = try apply(ShapeOperator(), [try plain(try node.input(0))], "\(node.name)/shape")[0]
            let value = node.kind == .rank ? try apply(Size(), [shape], "\(node.name)/size")[0] : shape
            define(output, try apply(Cast(to: type), [value], node))
        case .fill:
            let shape = try apply(Cast(to: .int64), [try plain(try node.input(0))], "\(node.name)/shape")[0]
            define(output, try apply(Expand(), [try plain(try node.input(1)), shape], node))
        case .zerosLike:
            let input = try node.input(0)
            let shape = try apply(ShapeOperator(), [try plain(input)], "\(node.name)/shape")[0]
            let point = quantization(input)?.zeroPoints.first ?? 0
            let zero = try node.checked { () throws(OperatorError) -> Tensor in
                do throws(TensorError) {
                    return try Tensor([Int64(point)], as: type, shape: [])
                } catch {
                    throw .tensor(error)
                }
            }
            define(output, try apply(Expand(), [addConstant(zero, "\(node.name)/zero"), shape], node))
        case .range:
            let operands = [try plain(try node.input(0)), try plain(try node.input(1)), try plain(try node.input(2))]
            define(output, try apply(RangeOperator(), operands, node))
        case .oneHot:
            let values = try apply(
                Concat(axis: 0),
                [try column(node, 3), try column(node, 2)], "\(node.name)/values")[0]
            define(
                output,
                try apply(
                    OneHot(axis: try node.int(0)),
                    [try plain(try node.input(0)), try plain(try node.input(1)), values], node))
        default: throw node.unsupported("\(node.kind)")
        }
    }

    /// An operand of one element, reshaped to have one axis.
    private mutating func column(_ node: TFLiteNode, _ position: Int) throws(FormatError) -> Graph.ValueID {
        let shape = try addIntegers([1], node)
        return try apply(Reshape(), [try plain(try node.input(position)), shape], "\(node.name)/value")[0]
    }
}
