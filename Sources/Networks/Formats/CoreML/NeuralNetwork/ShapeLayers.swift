import Graphs

/// Layers that reshape values.
extension LayerKind {
    static func transpose(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let order = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        try network.output(layer, try network.writer.transposed(try network.input(layer), order))
    }

    static func reshapeStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        try network.output(layer, try network.writer.reshaped(try network.input(layer), shape))
    }

    /// An operator whose second operand is the shape of the second input.
    static func shapedLike(_ operation: any Operator) -> Translator {
        { layer, network throws(FormatError) in
            let shape = try network.writer.shapeValue(of: try network.input(layer, 1))
            try network.output(layer, try network.writer.apply(operation, [try network.input(layer), shape]))
        }
    }

    /// An operator whose second operand is the content of the second input, a shape.
    static func shapedDynamically(_ operation: any Operator) -> Translator {
        { layer, network throws(FormatError) in
            let shape = try network.integers(try network.input(layer, 1))
            try network.output(layer, try network.writer.apply(operation, [try network.input(layer), shape]))
        }
    }

    static func squeeze(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSqueezeParameters.self)
        let axes = p.squeezesAll ? nil : p.axes.map { Int($0) }
        try network.output(layer, try network.writer.squeezed(try network.input(layer), axes: axes))
    }

    static func expandDims(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axes = try layer.decode(CoreMLSqueezeParameters.self).axes.map { Int($0) }
        try network.output(layer, try network.writer.unsqueezed(try network.input(layer), axes: axes))
    }

    static func flattenTo2D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let flatten = Flatten(axis: Int(try layer.decode(CoreMLAxisParameters.self).axis))
        try network.output(layer, try network.writer.apply(flatten, [try network.input(layer)]))
    }

    static func getShape(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try network.writer.shapeValue(of: try network.input(layer))
        try network.output(layer, try network.floats(shape))
    }

    static func broadcastToStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        let inputs = [try network.input(layer), try network.writer.constant(integers: shape, "shape")]
        try network.output(layer, try network.writer.apply(Expand(), inputs))
    }

    static func tile(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        if layer.inputs.count > 1 { return try shapedDynamically(Tile())(layer, network) }
        let repeats = try layer.decode(CoreMLShapeParameters.self).shape.map { Int($0) }
        try network.output(layer, try network.writer.tiled(try network.input(layer), repeats))
    }

    /// Joins values along a new axis.
    static func stack(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axis = Int(try layer.decode(CoreMLAxisParameters.self).axis)
        try network.output(layer, try network.writer.stacked(try network.inputs(layer), axis: axis))
    }

    /// Joins values along an axis, one after another or with elements taken in turn.
    static func concatND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let isInterleaved = p.second != 0
        let inputs = try network.alignedInputs(layer)
        var axis = try network.axis(p.axis)
        guard isInterleaved else {
            return try network.output(layer, try network.writer.apply(Concat(axis: axis), inputs))
        }
        let shape = try network.shape(inputs[0])
        if axis < 0 { axis += shape.count }
        guard shape.indices.contains(axis) else { throw .invalid("axis \(p.axis) of \(shape)") }
        try network.output(layer, try network.writer.interleaved(inputs, axis: axis))
    }

    static func splitND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLSplitNDParameters.self)
        let sizes = p.sizes.counts()
        let count = sizes.isEmpty ? p.count.count : sizes.count
        guard count == layer.outputs.count else {
            throw .invalid("splits into \(count) parts, but has \(layer.outputs.count) outputs")
        }
        let parts = try network.writer.split(
            try network.input(layer), axis: Int(p.axis), sizes: sizes.isEmpty ? nil : sizes, count: count)
        try network.output(layer, parts)
    }

    /// Sets each matrix to zero outside a band around its diagonal; a width below 0 keeps that whole side.
    static func bandPart(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let (below, above) = (Int(p.axis), Int(p.second))
        let x = try network.input(layer)
        try network.output(layer, try network.writer.band(x, below: below, above: above))
    }

    static func triangle(isUpper: Bool) -> Translator {
        { layer, network throws(FormatError) in
            let diagonal = Int(try layer.decode(CoreMLAxisParameters.self).axis)
            let x = try network.input(layer)
            try network.output(layer, try network.writer.triangle(x, isUpper: isUpper, diagonal: diagonal))
        }
    }
}
