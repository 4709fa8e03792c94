import Graphs
import Tensors

/// Layers that give the same elements other shapes.
extension LayerKind {
    static func transpose(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let order = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        try network.output(
            layer, try network.writer.apply("Transpose", [try network.input(layer)], ["perm": .ints(order)]))
    }

    static func reshapeStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        try network.output(layer, try network.reshaped(try network.input(layer), shape))
    }

    static func reshapeLike(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try network.writer.apply("Shape", [try network.input(layer, 1)])
        try network.output(layer, try network.writer.apply("Reshape", [try network.input(layer), shape]))
    }

    static func reshapeDynamic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try network.integers(try network.input(layer, 1))
        try network.output(layer, try network.writer.apply("Reshape", [try network.input(layer), shape]))
    }

    static func squeeze(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSqueezeParameters.self)
        var inputs = [try network.input(layer)]
        if !p.squeezesAll { inputs.append(try network.writer.constant(integers: p.axes.map { Int($0) }, "axes")) }
        try network.output(layer, try network.writer.apply("Squeeze", inputs))
    }

    static func expandDims(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axes = try layer.decode(CoreMLSqueezeParameters.self).axes.map { Int($0) }
        let inputs = [try network.input(layer), try network.writer.constant(integers: axes, "axes")]
        try network.output(layer, try network.writer.apply("Unsqueeze", inputs))
    }

    static func flattenTo2D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axis = try layer.decode(CoreMLAxisParameters.self).axis
        try network.output(
            layer, try network.writer.apply("Flatten", [try network.input(layer)], ["axis": .int(axis)]))
    }

    static func getShape(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try network.writer.apply("Shape", [try network.input(layer)])
        try network.output(layer, try network.floats(shape))
    }

    static func broadcastToLike(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try network.writer.apply("Shape", [try network.input(layer, 1)])
        try network.output(layer, try network.writer.apply("Expand", [try network.input(layer), shape]))
    }

    static func broadcastToStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        let inputs = [try network.input(layer), try network.writer.constant(integers: shape, "shape")]
        try network.output(layer, try network.writer.apply("Expand", inputs))
    }

    static func broadcastToDynamic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try network.integers(try network.input(layer, 1))
        try network.output(layer, try network.writer.apply("Expand", [try network.input(layer), shape]))
    }

    static func tile(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let repeats =
            layer.inputs.count > 1
            ? try network.integers(try network.input(layer, 1))
            : try network.writer.constant(
                integers: try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }, "repeats")
        try network.output(layer, try network.writer.apply("Tile", [try network.input(layer), repeats]))
    }

    /// Values joined along a new axis.
    static func stack(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axis = Int(try layer.decode(CoreMLAxisParameters.self).axis)
        let axes = try network.writer.constant(integers: [axis], "axes")
        var inputs = try network.inputs(layer)
        for index in inputs.indices { inputs[index] = try network.writer.apply("Unsqueeze", [inputs[index], axes]) }
        try network.output(layer, try network.writer.apply("Concat", inputs, ["axis": .int(axis)]))
    }

    /// Values joined along an axis, one behind the other or element by element in turn.
    static func concatND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        var inputs = try network.alignedInputs(layer)
        var axis = try network.axis(p.axis)
        guard p.second != 0 else {
            return try network.output(layer, try network.writer.apply("Concat", inputs, ["axis": .int(axis)]))
        }
        var shape = try network.shape(inputs[0])
        if axis < 0 { axis += shape.count }
        guard shape.indices.contains(axis) else { throw .invalid("axis \(p.axis) of \(shape)") }
        let axes = try network.writer.constant(integers: [axis + 1], "axes")
        for index in inputs.indices { inputs[index] = try network.writer.apply("Unsqueeze", [inputs[index], axes]) }
        let joined = try network.writer.apply("Concat", inputs, ["axis": .int(axis + 1)])
        shape[axis] = -1
        try network.output(layer, try network.reshaped(joined, shape))
    }

    static func splitND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSplitNDParameters.self)
        let sizes = p.sizes.counts()
        let count = sizes.isEmpty ? p.count.count : sizes.count
        guard count == layer.outputs.count else {
            throw .invalid("splits into \(count) parts, but has \(layer.outputs.count) outputs")
        }
        var inputs = [try network.input(layer)]
        if !sizes.isEmpty { inputs.append(try network.writer.constant(integers: sizes, "sizes")) }
        var attributes: [String: AttributeValue] = ["axis": .int(p.axis)]
        if sizes.isEmpty { attributes["num_outputs"] = .int(count) }
        try network.output(layer, try network.writer.apply("Split", inputs, attributes, outputCount: count))
    }

    /// Zeros outside of a band around the diagonal of each matrix; a width below 0 means all of that side.
    static func bandPart(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        // The first number is how many diagonals below stay, the second how many above.
        let p = try layer.decode(CoreMLAxisParameters.self)
        var x = try network.input(layer)
        if p.axis >= 0 { x = try triangle(x, isUpper: true, diagonal: -Int(p.axis), network) }
        if p.second >= 0 { x = try triangle(x, isUpper: false, diagonal: Int(p.second), network) }
        try network.output(layer, x)
    }

    static func triangle(isUpper: Bool) -> Translator {
        { layer, network throws(FormatError) in
            let diagonal = Int(try layer.decode(CoreMLAxisParameters.self).axis)
            try network.output(
                layer, try triangle(try network.input(layer), isUpper: isUpper, diagonal: diagonal, network))
        }
    }

    private static func triangle(
        _ x: Graph.ValueID, isUpper: Bool, diagonal: Int, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let k = network.writer.constant(try GraphWriter.tensor([Int64(diagonal)], []), "diagonal")
        return try network.writer.apply("Trilu", [x, k], ["upper": .bool(isUpper)])
    }
}
