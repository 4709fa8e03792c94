import Graphs
import Tensors

extension TFLiteGraphReader {
    mutating func addResize(_ node: TFLiteNode) throws(FormatError) {
        let input = try node.input(0)
        let sizes = try integers(node, 1)
        guard sizes.count == 2, sizes.allSatisfy({ $0 > 0 }), rank(input) == 4 else {
            throw node.invalid("size \(sizes) of an input with \(rank(input)) axes")
        }
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
            let operands: [Graph.ValueID?] = [try channelsFirst(input), nil, nil, try addIntegers(sizes, node)]
            define(try node.output(), channelsFirst: try apply(operation, operands, node))
            return
        }
        if isBilinear, let x = quantization(input), x == quantization(try node.output()) {
            let operation = IntegerResize(size: sizes, alignsCorners: corners, hasHalfPixels: halfPixel)
            define(try node.output(), channelsFirst: try apply(operation, [try channelsFirst(input)], node))
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            let operands: [Graph.ValueID?] = [
                try reader.channelsFirst(input), nil, nil, try reader.addIntegers(sizes, node),
            ]
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
        let shape = extents(input)
        let spatial = blocks.count
        guard spatial >= 1, shape.count >= spatial + 1, margins.count == 2 * spatial,
            blocks.allSatisfy({ (1...1 << 15).contains($0) }),
            margins.allSatisfy({ (0...1 << 20).contains($0) })
        else { throw node.invalid("blocks \(blocks) and margins \(margins) do not fit \(shape)") }
        let rest = Array(shape[(spatial + 1)...])
        var x = try plain(input)
        guard let blockCount = try? Shape.elementCount(blocks),
            (try? Shape.elementCount([shape[0], blockCount])) != nil
        else { throw node.invalid("blocks of \(blocks) for \(shape[0]) images are too many") }
        if node.kind == .spaceToBatchND {
            var pads = [Int](repeating: 0, count: 2 * shape.count)
            var padded = Array(shape[1...spatial])
            for axis in 0..<spatial {
                (pads[axis + 1], pads[shape.count + axis + 1]) = (margins[2 * axis], margins[2 * axis + 1])
                padded[axis] += margins[2 * axis] + margins[2 * axis + 1]
                guard padded[axis] % blocks[axis] == 0 else {
                    throw node.invalid("extent \(padded[axis]) is no multiple of block \(blocks[axis])")
                }
            }
            var operands: [Graph.ValueID?] = [x, try addIntegers(pads, node)]
            if let y = quantization(input), let type = elementType(input),
                let fill = try? Tensor([Int64(y.zeroPoints[0])], as: type, shape: [])
            {
                operands.append(addConstant(fill, "\(node.name)/fill"))
            }
            x = try apply(Pad(), operands, "\(node.name)/padded")[0]
            var split = [shape[0]]
            for axis in 0..<spatial { split += [padded[axis] / blocks[axis], blocks[axis]] }
            let order =
                (0..<spatial).map { 2 * $0 + 2 } + [0] + (0..<spatial).map { 2 * $0 + 1 }
                + rest.indices.map { 2 * spatial + 1 + $0 }
            x = try rearranged(x, as: split + rest, order, node)
            let joined = [shape[0] * blockCount] + (0..<spatial).map { padded[$0] / blocks[$0] } + rest
            define(try node.output(), try apply(Reshape(), [x, try addIntegers(joined, node)], node))
            return
        }
        guard blockCount > 0, shape[0] % blockCount == 0 else {
            throw node.invalid("\(shape[0]) images are no multiple of \(blockCount) blocks")
        }
        let batch = shape[0] / blockCount
        var order = [spatial]
        for axis in 0..<spatial { order += [spatial + 1 + axis, axis] }
        order += rest.indices.map { 2 * spatial + 1 + $0 }
        x = try rearranged(x, as: blocks + [batch] + shape[1...], order, node)
        let joined = (0..<spatial).map { shape[$0 + 1] * blocks[$0] }
        x = try apply(Reshape(), [x, try addIntegers([batch] + joined + rest, node)], "\(node.name)/joined")[0]
        let starts: [Int] = (0..<spatial).map { margins[2 * $0] }
        let ends: [Int] = (0..<spatial).map { joined[$0] - margins[2 * $0 + 1] }
        var operands: [Graph.ValueID?] = [x]
        for list in [starts, ends, Array(1...spatial)] { operands.append(try addIntegers(list, node)) }
        define(try node.output(), try apply(Slice(), operands, node))
    }

    private mutating func rearranged(
        _ value: Graph.ValueID, as shape: [Int], _ order: [Int], _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let split = try apply(Reshape(), [value, try addIntegers(shape, node)], "\(node.name)/split")[0]
        return try apply(Transpose(permutation: order), [split], "\(node.name)/moved")[0]
    }
}
