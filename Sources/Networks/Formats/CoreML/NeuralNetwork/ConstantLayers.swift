import Graphs

/// Layers that compute values only from numbers and shapes.
extension LayerKind {
    static func fillLike(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try fill(layer, with: try network.writer.shapeValue(of: try network.input(layer)), network)
    }

    static func fillDynamic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try fill(layer, with: try network.integers(try network.input(layer)), network)
    }

    static func fillStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let shape = try layer.decode(CoreMLFillParameters.self).shape.counts()
        try fill(layer, with: try network.writer.constant(integers: shape, "shape"), network)
    }

    private static func fill(
        _ layer: Layer, with shape: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) {
        let number = try layer.decode(CoreMLFillParameters.self).value
        try network.output(layer, try network.writer.filled(shape, with: number))
    }

    static func rangeStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLRangeParameters.self)
        let inputs = [
            try network.writer.constant(p.start), try network.writer.constant(p.end),
            try network.writer.constant(p.step),
        ]
        try network.output(layer, try network.writer.apply(RangeOperator(), inputs))
    }

    /// A range from start to end in steps. Inputs give the end and, where there are more, the start and the step.
    static func rangeDynamic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLRangeParameters.self)
        func operand(_ index: Int, _ fallback: Float) throws(FormatError) -> Graph.ValueID {
            guard layer.inputs.count > index else { return try network.writer.constant(fallback) }
            return try network.writer.reshaped(try network.input(layer, index), [])
        }
        let inputs = [try operand(1, p.start), try operand(0, 0), try operand(2, p.step)]
        try network.output(layer, try network.writer.apply(RangeOperator(), inputs))
    }
}
