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

    private static let maximumNodeCount = 8

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
        guard walk.extents.count == 3 || walk.extents.count == 4 else { return nil }
        if isTransposed {
            walk.permute(walk.extents.indices.dropLast(2) + [walk.extents.count - 1, walk.extents.count - 2])
        }
        let last = walk.extents.count - 1
        guard walk.strides[last] == 1 || walk.extents[last] == 1 else { return nil }
        let heads = walk.extents[last - 2]
        guard heads % SymbolicType.stand != 0, walk.extents[last - 1] % SymbolicType.stand != 0,
            walk.extents[last] % SymbolicType.stand != 0
        else { return nil }
        isBatched = walk.extents.count == 4
        if isBatched {
            let image = shape.dropFirst().reduce(1, *)
            guard let first = shape.first, first == walk.extents[0], first == 1 || walk.strides[0] == image else {
                return nil
            }
        }
        view = .init(
            offset: walk.offset, batchStride: isBatched ? shape.dropFirst().reduce(1, *) : 0,
            headStride: walk.strides[last - 2], rowStride: walk.strides[last - 1], rowCount: walk.extents[last - 1],
            size: walk.extents[last])
        extents = (isBatched ? walk.extents[0] : 1, heads)
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
            switch dimension {
            case .fixed(let value):
                guard value > 0, value < Self.stand else { return nil }
                extents.append(value)
            case .symbol(let name):
                let digits = name.prefix(while: \.isNumber)
                guard let factor = digits.isEmpty ? 1 : Int(digits), factor < Self.stand else { return nil }
                extents.append(factor * Self.stand)
            }
        }
        return extents.saturatingProduct == .max ? nil : extents
    }
}

/// The axes of a view that is rearranged while its memory stays.
struct StridedShape {
    private(set) var extents: [Int]
    private(set) var strides: [Int]
    private(set) var offset = 0

    init(_ extents: [Int]) {
        self.extents = extents
        strides = Shape.rowMajorStrides(extents)
    }

    mutating func permute(_ order: [Int]) {
        extents = order.map { extents[$0] }
        strides = order.map { strides[$0] }
    }

    /// Selects one position of an axis, whose extent becomes 1.
    mutating func take(_ position: Int, axis: Int) -> Bool {
        let position = position < 0 ? position + extents[axis] : position
        return slice(position, 1, axis: axis)
    }

    mutating func slice(_ start: Int, _ count: Int, axis: Int) -> Bool {
        guard start >= 0, count > 0, start + count <= extents[axis] else { return false }
        offset += start * strides[axis]
        extents[axis] = count
        return true
    }

    /// Changes the extents, keeping the order of elements.
    ///
    /// - Returns: Whether strides can express the new shape.
    mutating func reshape(to target: [Int]) -> Bool {
        let long = extents.indices.filter { extents[$0] != 1 }
        var axes = long.map { (extent: extents[$0], stride: strides[$0]) }[...]
        var result = [Int](repeating: 0, count: target.count)
        var index = target.count - 1
        while index >= 0 {
            if target[index] == 1 {
                index -= 1
                continue
            }
            guard var group = axes.popLast() else { return false }
            // Finds the target extents that together make up whole axes.
            var stride = group.stride
            var left = group.extent
            while left > 1 {
                guard index >= 0 else { return false }
                let extent = target[index]
                if extent == 1 {
                    index -= 1
                    continue
                }
                while left % extent != 0 || left < extent {
                    // The target spans the next axis too.
                    guard let next = axes.popLast(), next.stride == group.stride * group.extent else { return false }
                    group = (group.extent * next.extent, group.stride)
                    left *= next.extent
                }
                result[index] = stride
                stride *= extent
                left /= extent
                index -= 1
            }
        }
        guard axes.isEmpty else { return false }
        extents = target
        strides = result
        return true
    }
}
