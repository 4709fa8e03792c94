import Graphs
import Tensors

extension TFLiteGraphReader {
    mutating func addResize(_ node: TFLiteNode) throws(FormatError) {
        let input = try node.input(0)
        let sizes = try openIntegers(node, 1)
        guard sizes.count == 2, sizes.allSatisfy({ $0 ?? 1 > 0 }), rank(input) == 4 else {
            throw node.invalid("size \(sizes.map { $0 ?? 0 }) of an input with \(rank(input)) axes")
        }
        let known = sizes.compactMap { $0 }
        let size = try known.count == 2 ? addIntegers(known, node) : integerValue(node, 1)
        let isBilinear = node.kind == .resizeBilinear
        let (corners, halfPixel) =
            (try node.bool(isBilinear ? 2 : 0), try node.bool(isBilinear ? 3 : 1))
        var interpolation = Interpolation(mode: isBilinear ? .linear : .nearest)
        interpolation.coordinates = corners ? .alignCorners : halfPixel ? .halfPixel : .asymmetric
        if !isBilinear {
            // Half-pixel coordinates are ⌊(i + 1/2) · scale⌋.
            if halfPixel { interpolation.coordinates = .tensorFlowHalfPixel }
            interpolation.nearest = corners ? .roundPreferCeil : .floor
        }
        let operation = Resize(interpolation: interpolation, axes: [2, 3])
        if !isBilinear, quantization(input) == quantization(try node.output()) {
            let operands: [Graph.ValueID?] = [try channelsFirst(input), nil, nil, size]
            define(try node.output(), channelsFirst: try apply(operation, operands, node))
            return
        }
        if isBilinear, let x = quantization(input), x == quantization(try node.output()) {
            let isKnown = known.count == 2
            let operation = IntegerResize(
                size: isKnown ? known : [], alignsCorners: corners, hasHalfPixels: halfPixel)
            let operands = [try channelsFirst(input)] + (isKnown ? [] : [size])
            define(try node.output(), channelsFirst: try apply(operation, operands, node))
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            let operands: [Graph.ValueID?] = [try reader.channelsFirst(input), nil, nil, size]
            return (try reader.apply(operation, operands, node), true)
        }
    }

    mutating func addBlocks(_ node: TFLiteNode) throws(FormatError) {
        let size = try node.int(0)
        guard (1...1 << 15).contains(size) else { throw node.invalid("block size \(size)") }
        let operation: any Operator =
            node.kind == .depthToSpace ? DepthToSpace(blockSize: size) : SpaceToDepth(blockSize: size)
        define(
            try node.output(), channelsFirst: try apply(operation, [try channelsFirst(try node.input(0))], node))
    }

    /// Adds SPACE_TO_BATCH_ND, with its padding, or BATCH_TO_SPACE_ND, with its crop.
    mutating func addBatchBlocks(_ node: TFLiteNode) throws(FormatError) {
        let input = try node.input(0)
        let (blocks, margins) = (try integers(node, 1), try integers(node, 2))
        let shape = openExtents(input)
        let spatial = blocks.count
        guard spatial >= 1, shape.count >= spatial + 1, margins.count == 2 * spatial,
            blocks.allSatisfy({ (1...1 << 15).contains($0) }),
            margins.allSatisfy({ (0...1 << 20).contains($0) })
        else { throw node.invalid("blocks \(blocks) and margins \(margins) do not fit \(extents(input))") }
        guard let blockCount = try? Shape.elementCount(blocks),
            (try? Shape.elementCount([shape[0] ?? 1, blockCount])) != nil
        else { throw node.invalid("blocks of \(blocks) for \(extents(input)[0]) images are too many") }
        let value =
            try node.kind == .spaceToBatchND
            ? spaceToBatch(input, shape, blocks, margins, node)
            : batchToSpace(input, shape, blocks, margins, blockCount, node)
        define(try node.output(), value)
    }

    private mutating func spaceToBatch(
        _ input: Int, _ shape: [Int?], _ blocks: [Int], _ margins: [Int], _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let spatial = blocks.count
        var pads = [Int](repeating: 0, count: 2 * shape.count)
        for axis in 0..<spatial {
            (pads[axis + 1], pads[shape.count + axis + 1]) = (margins[2 * axis], margins[2 * axis + 1])
        }
        var operands: [Graph.ValueID?] = [try plain(input), try addIntegers(pads, node)]
        if let y = quantization(input), let type = elementType(input),
            let fill = try? Tensor([Int64(y.zeroPoints[0])], as: type, shape: [])
        {
            operands.append(addConstant(fill, "\(node.name)/fill"))
        }
        let x = try apply(Pad(), operands, "\(node.name)/padded")[0]
        // The batch is what remains of the elements.
        var split = [TFLiteExtent.fixed(-1)]
        var joined = split
        for axis in 0..<spatial {
            var part = TFLiteExtent.open(x, axis: axis + 1, Div(), blocks[axis])
            if let extent = shape[axis + 1] {
                let padded = extent + margins[2 * axis] + margins[2 * axis + 1]
                guard padded % blocks[axis] == 0 else {
                    throw node.invalid("extent \(padded) is no multiple of block \(blocks[axis])")
                }
                part = .fixed(padded / blocks[axis])
            }
            split += [part, .fixed(blocks[axis])]
            joined.append(part)
        }
        let rest = (spatial + 1..<shape.count).map { axis in
            shape[axis].map { .fixed($0) } ?? TFLiteExtent.open(x, axis: axis, nil, 0)
        }
        let order =
            (0..<spatial).map { 2 * $0 + 2 } + [0] + (0..<spatial).map { 2 * $0 + 1 }
            + rest.indices.map { 2 * spatial + 1 + $0 }
        let moved = try rearranged(x, as: split + rest, order, node)
        return try apply(Reshape(), [moved, try addExtents(joined + rest, node)], node)
    }

    private mutating func batchToSpace(
        _ input: Int, _ shape: [Int?], _ blocks: [Int], _ margins: [Int], _ blockCount: Int, _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let spatial = blocks.count
        guard blockCount > 0, (shape[0] ?? 0) % blockCount == 0 else {
            throw node.invalid("\(extents(input)[0]) images are no multiple of \(blockCount) blocks")
        }
        var order = [spatial]
        for axis in 0..<spatial { order += [spatial + 1 + axis, axis] }
        order += (spatial + 1..<shape.count).map { spatial + $0 }
        let x = try plain(input)
        func extent(_ axis: Int, times factor: Int = 1) -> TFLiteExtent {
            shape[axis].map { .fixed($0 * factor) }
                ?? TFLiteExtent.open(x, axis: axis, factor == 1 ? nil : Mul(), factor)
        }
        let rest = (spatial + 1..<shape.count).map { extent($0) }
        let whole = blocks.map(TFLiteExtent.fixed) + [.fixed(-1)] + (1...spatial).map { extent($0) } + rest
        let moved = try rearranged(x, as: whole, order, node)
        let joined = (0..<spatial).map { extent($0 + 1, times: blocks[$0]) }
        let picture = try apply(
            Reshape(), [moved, try addExtents([.fixed(-1)] + joined + rest, node)], "\(node.name)/joined")[0]
        let starts = (0..<spatial).map { margins[2 * $0] }
        let ends = (0..<spatial).map { margins[2 * $0 + 1] == 0 ? SliceBound.last : -margins[2 * $0 + 1] }
        var operands: [Graph.ValueID?] = [picture]
        for list in [starts, ends, Array(1...spatial)] { operands.append(try addIntegers(list, node)) }
        return try apply(Slice(), operands, node)
    }

    private mutating func rearranged(
        _ value: Graph.ValueID, as shape: [TFLiteExtent], _ order: [Int], _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let split = try apply(Reshape(), [value, try addExtents(shape, node)], "\(node.name)/split")[0]
        return try apply(Transpose(permutation: order), [split], "\(node.name)/moved")[0]
    }
}
