import Graphs

/// Layers of the older rules that move elements.
extension LayerKind {
    /// Reshapes [C, H, W] or [sequence, C, H, W]; `CHANNEL_LAST` reads and writes channels last.
    static func reshape(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLShapeParameters.self)
        var shape = p.shape.map { Int($0) }
        guard shape.count == 3 || shape.count == 4 else {
            throw .invalid("the shape \(shape) must have 3 or 4 extents")
        }
        let x = try network.image(try network.input(layer))
        // The batch axis is kept, so that batches of any size stay possible.
        if shape.count == 3 || shape[0] == 1 { shape = [0] + shape.suffix(3) }
        guard p.mode == 1 else { return try network.output(layer, try network.writer.reshaped(x, shape)) }
        let last = try network.writer.transposed(x, [0, 2, 3, 1])
        let reshaped = try network.writer.reshaped(last, [shape[0], shape[2], shape[3], shape[1]])
        try network.output(layer, try network.writer.transposed(reshaped, [0, 3, 1, 2]))
    }

    /// Turns all elements into channels.
    static func flatten(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let isChannelLast = try layer.decode(CoreMLCountParameters.self).count == 1
        var x = try network.input(layer)
        let rank = try network.shape(x).count
        if network.rule == .fiveAxes, rank == 2 { return try network.output(layer, x) }
        guard rank >= 3 else { throw .invalid("its input has \(rank) axes; at least 3 are expected") }
        if isChannelLast {
            let order = Array(0..<rank - 3) + [rank - 2, rank - 1, rank - 3]
            x = try network.writer.transposed(x, order)
        }
        if network.rule == .fiveAxes { return try network.output(layer, try network.writer.apply(Flatten(), [x])) }
        // 0 keeps an extent.
        let kept = [Int](repeating: 0, count: rank - 3)
        try network.output(layer, try network.writer.reshaped(x, kept + [-1, 1, 1]))
    }

    /// Permutes the axes [sequence, C, H, W].
    static func permute(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let order = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        let x = try network.image(try network.input(layer))
        guard network.rule == .exact, try network.shape(x).count == 5, order.count == 4 else {
            return try network.output(layer, try network.writer.transposed(x, order))
        }
        // The batch, the second of five axes, keeps its place.
        let axes = order.map { $0 == 0 ? 0 : $0 &+ 1 }
        try network.output(
            layer, try network.writer.transposed(x, [axes[0], 1] + axes[1...]))
    }

    /// Joins values along their channels, or along the sequence.
    static func concat(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let isSequence = try layer.decode(CoreMLSequenceConcatParameters.self).isSequenceConcat
        let inputs = try network.alignedInputs(layer)
        let axis = isSequence ? 0 : try network.channelAxis(inputs[0])
        try network.output(layer, try network.writer.apply(Concat(axis: axis), inputs))
    }

    /// Splits channels into equal parts.
    static func split(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let count = try layer.decode(CoreMLCountParameters.self).count.count
        guard count == layer.outputs.count else {
            throw .invalid("splits into \(count) parts, but has \(layer.outputs.count) outputs")
        }
        let x = try network.input(layer)
        let axis = try network.channelAxis(x)
        let channels = try network.shape(x)[axis]
        guard count > 0, channels % count == 0 else {
            throw .invalid("\(channels) channels do not split into \(count)")
        }
        try network.output(layer, try network.writer.split(x, axis: axis, sizes: nil, count: count))
    }

    /// Repeats the sequence.
    static func sequenceRepeat(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let count = max(1, try layer.decode(CoreMLCountParameters.self).count.count)
        let x = try network.input(layer)
        let others = [Int](repeating: 1, count: max(0, try network.shape(x).count - 1))
        try network.output(layer, try network.writer.tiled(x, [count] + others))
    }

    private enum Reorganization: Int32 {
        case spaceToDepth, depthToSpace, pixelShuffle
    }

    /// Turns blocks of pixels into channels, or channels into blocks.
    static func reorganize(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLReorganizeParameters.self)
        let size = p.blockSize.count
        let operation: any Operator
        switch Reorganization(rawValue: p.mode) {
        case .spaceToDepth: operation = SpaceToDepth(blockSize: size)
        case .depthToSpace: operation = DepthToSpace(blockSize: size)
        case .pixelShuffle: operation = DepthToSpace(blockSize: size, isChannelFirst: true)
        case nil: throw .unsupported("reorganization \(p.mode) is not known")
        }
        let x = try network.image(try network.input(layer))
        try network.output(layer, try network.writer.apply(operation, [x]))
    }

    /// Takes a range of channels, rows or columns.
    static func slice(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSliceParameters.self)
        guard (0...2).contains(p.axis) else { throw .unsupported("axis \(p.axis) is not known") }
        let x = try network.image(try network.input(layer))
        let result = try network.writer.sliced(
            x, from: [Int(p.start)], to: [Int(p.end)], axes: [Int(p.axis) - 3], steps: [max(1, p.stride.count)])
        try network.output(layer, result)
    }
}
