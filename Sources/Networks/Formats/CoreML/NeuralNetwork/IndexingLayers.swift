import Graphs

extension LayerKind {
    /// Takes slices along an axis at the indices in the second input.
    static func gather(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try gather(Gather(axis: Int(try layer.decode(CoreMLAxisParameters.self).axis)), layer, network)
    }

    static func gatherND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try gather(GatherND(), layer, network)
    }

    static func gatherAlongAxis(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try gather(GatherElements(axis: Int(try layer.decode(CoreMLAxisParameters.self).axis)), layer, network)
    }

    private static func gather(
        _ operation: any Operator, _ layer: Layer, _ network: NetworkTranslator
    ) throws(FormatError) {
        let indices = try network.integers(try network.input(layer, 1))
        try network.output(layer, try network.writer.apply(operation, [try network.input(layer), indices]))
    }

    /// Replaces slices along an axis by others, or combines them.
    static func scatter(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let x = try network.input(layer)
        let rank = try network.shape(x).count
        let axis = Int(p.axis) + (p.axis < 0 ? rank : 0)
        let indices = try network.input(layer, 1)
        guard (0..<rank).contains(axis) else { throw .invalid("axis \(p.axis) of \(rank)") }
        guard try network.shape(indices).count <= 1 else { throw .unsupported("indices with more than one axis") }
        let mode = try scatterMode(p.second)
        let updates = try network.writer.scatterable(try network.input(layer, 2), mode)
        let column = try network.writer.reshaped(try network.integers(indices), [-1, 1])
        // The axis is moved to the front, where whole slices can be scattered.
        let front = try network.writer.moved(x, axis..<axis + 1, to: 0)
        let slices = try network.writer.moved(updates, axis..<axis + 1, to: 0)
        let result = try network.writer.scattered(front, at: column, slices, mode)
        try network.output(layer, try network.writer.moved(result, 0..<1, to: axis))
    }

    static func scatterND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        // The mode is the first field of these parameters.
        let mode = try scatterMode(try layer.decode(CoreMLAxisParameters.self).axis)
        let indices = try network.integers(try network.input(layer, 1))
        let updates = try network.writer.scatterable(try network.input(layer, 2), mode)
        try network.output(
            layer, try network.writer.scattered(try network.input(layer), at: indices, updates, mode))
    }

    static func scatterAlongAxis(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let mode = try scatterMode(p.second)
        let indices = try network.integers(try network.input(layer, 1))
        let updates = try network.writer.scatterable(try network.input(layer, 2), mode)
        try network.output(
            layer,
            try network.writer.scattered(
                try network.input(layer), at: indices, updates, mode, axis: Int(p.axis)))
    }

    private static func scatterMode(_ number: Int64) throws(FormatError) -> ScatterMode {
        guard let mode = ScatterMode(rawValue: number) else {
            throw .unsupported("scatter mode \(number) is not known")
        }
        return mode
    }

    static func oneHot(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLOneHotParameters.self)
        let size =
            layer.inputs.count > 1
            ? try network.writer.reshaped(try network.integers(try network.input(layer, 1)), [1])
            : try network.writer.constant(integers: [p.size.count], "size")
        let indices = try network.integers(try network.input(layer))
        try network.output(
            layer,
            try network.writer.oneHot(indices, size: size, off: p.offValue, on: p.onValue, axis: Int(p.axis)))
    }

    /// The positions of elements that are not 0, one row per position.
    static func nonZero(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let positions = try network.writer.apply(NonZero(), [try network.input(layer)])
        try network.output(layer, try network.floats(try network.writer.transposed(positions, [1, 0])))
    }
}
