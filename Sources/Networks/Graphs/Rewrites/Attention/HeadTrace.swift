import Tensors

/// The array from which the operand of a stacked product was split, reshaped and transposed into heads, and the view of
/// the operand in it.
struct HeadTrace {
    let source: Graph.ValueID
    let view: ScaledDotProductAttention.HeadView
    /// Whether the source's first axis is the batch.
    let isBatched: Bool
    /// The factor by which the nodes in between multiply every element.
    let scale: Double
    let extents: (batch: Int, heads: Int)

    private static let maximumNodeCount = 16

    /// Traces an operand back to its source.
    ///
    /// - Parameter isTransposed: Whether the operand's last two axes are features by rows.
    /// - Returns: nil when the operand is not a stack of three or four axes with a fixed number of heads, or no earlier
    ///   value holds each of its rows as adjacent elements.
    init?(_ operand: Graph.ValueID?, isTransposed: Bool, _ edit: GraphEdit) {
        var path: [Graph.Node] = []
        var values: [Graph.ValueID] = []
        guard var current = operand else { return nil }
        values.append(current)
        while path.count < Self.maximumNodeCount, edit.constant(current) == nil, let node = edit.producer(current),
            let input = Self.source(of: node, edit)
        {
            path.append(node)
            values.append(input)
            current = input
        }
        // The source is the earliest value from which all steps can be expressed as a view.
        for start in stride(from: path.count, through: 0, by: -1) {
            let steps = Array(zip(path[..<start].reversed(), values[..<start].reversed()))
            if let trace = HeadTrace(from: values[start], steps, isTransposed: isTransposed, edit) {
                self = trace
                return
            }
        }
        return nil
    }

    /// The value that a node rearranges, takes a part of, or multiplies by a number.
    private static func source(of node: Graph.Node, _ edit: GraphEdit) -> Graph.ValueID? {
        switch node.operation {
        case is Reshape, is Transpose, is Squeeze, is Unsqueeze, is Flatten, is Split: node.inputs[0]
        case is Gather: edit.constant(node.inputs[1])?.elementCount == 1 ? node.inputs[0] : nil
        default: edit.factor(node)?.operand
        }
    }

    /// Follows `steps`, each a node and its result, from `source` on.
    private init?(
        from source: Graph.ValueID, _ steps: [(Graph.Node, Graph.ValueID)], isTransposed: Bool, _ edit: GraphEdit
    ) {
        guard let type = edit.type(source), let shape = Self.numbers(type) else { return nil }
        var walk = StridedShape(shape)
        var scale = 1.0
        for (node, result) in steps {
            guard let type = edit.type(result), let extents = Self.numbers(type) else { return nil }
            switch node.operation {
            case let transpose as Transpose:
                guard let order = try? transpose.order(rank: walk.extents.count) else { return nil }
                walk.permute(order)
            case let gather as Gather:
                guard let number = edit.constant(node.inputs[1])?.elements(as: Int64.self).first,
                    let axis = try? Axes.resolve(gather.axis, rank: walk.extents.count),
                    walk.take(Int(number), axis: axis), walk.reshape(to: extents)
                else { return nil }
            case let split as Split:
                guard let axis = try? Axes.resolve(split.axis, rank: walk.extents.count),
                    let position = node.outputs.firstIndex(of: result)
                else { return nil }
                var start = 0
                for output in node.outputs[..<position] {
                    guard let extent = edit.type(output)?.shape.dimensions[axis].value else { return nil }
                    start += extent
                }
                guard walk.slice(start, extents[axis], axis: axis) else { return nil }
            case is Reshape, is Squeeze, is Unsqueeze, is Flatten:
                guard walk.reshape(to: extents) else { return nil }
            default:
                guard let factor = edit.factor(node)?.factor, extents == walk.extents else { return nil }
                scale *= factor
            }
        }
        let rank = walk.extents.count
        guard rank == 3 || rank == 4 else { return nil }
        if isTransposed { walk.permute(Array(0..<rank - 2) + [rank - 1, rank - 2]) }
        let extents = walk.extents
        guard let strides = walk.strides, strides[rank - 1] == 1 || extents[rank - 1] == 1,
            extents.suffix(3).allSatisfy({ $0 % SymbolicType.stand != 0 })
        else { return nil }
        isBatched = rank == 4
        if isBatched {
            let image = shape.dropFirst().reduce(1, *)
            guard let first = shape.first, first == extents[0], first == 1 || strides[0] == image else { return nil }
        }
        view = .init(
            offset: walk.offset, batchStride: isBatched ? shape.dropFirst().reduce(1, *) : 0,
            headStride: strides[rank - 3], rowStride: strides[rank - 2], rowCount: extents[rank - 2],
            size: extents[rank - 1])
        self.extents = (isBatched ? extents[0] : 1, extents[rank - 3])
        self.source = source
        self.scale = scale
    }

    /// The extents of a float32 value as numbers; see ``SymbolicType/standing``.
    private static func numbers(_ type: SymbolicType) -> [Int]? {
        guard type.elementType == .float32 else { return nil }
        return type.standing
    }
}

extension SymbolicType {
    /// A number in place of the batch size: a prime larger than any fixed extent, so that no product of those is a
    /// multiple.
    static let stand = 1_000_003

    /// The extents with ``stand`` in place of the batch size; nil when an extent is 0 or too large.
    var standing: [Int]? {
        var extents: [Int] = []
        for dimension in shape.dimensions {
            guard let factor = dimension.factor, factor > 0, factor < Self.stand else { return nil }
            extents.append(dimension.value == nil ? factor * Self.stand : factor)
        }
        return extents.saturatingProduct == .max ? nil : extents
    }
}
