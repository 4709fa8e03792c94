import Graphs

/// Layers that make values from nothing but numbers and shapes.
extension LayerKind {
    static func loadConstantND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLScaleParameters.self, weights: [2])
        let tensor = try layer.weights(2).tensor(shape: p.scaleShape.counts())
        network.define(try layer.onlyOutput, network.writer.constant(tensor))
    }

    static func fillLike(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try fill(layer, with: try network.writer.apply("Shape", [try network.input(layer)]), network)
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
        let value = try GraphWriter.tensor([try layer.decode(CoreMLFillParameters.self).value], [1])
        try network.output(layer, try network.writer.apply("ConstantOfShape", [shape], ["value": .tensor(value)]))
    }

    static func rangeStatic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLRangeParameters.self)
        let inputs = [
            try network.writer.constant([p.start]), try network.writer.constant([p.end]),
            try network.writer.constant([p.step]),
        ]
        try network.output(layer, try network.writer.apply("Range", inputs))
    }

    /// From start to end in steps; inputs give the end, then start and step where they are more than one.
    static func rangeDynamic(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLRangeParameters.self)
        func operand(_ index: Int, _ fallback: Float) throws(FormatError) -> Graph.ValueID {
            guard layer.inputs.count > index else { return try network.writer.constant([fallback]) }
            return try network.reshaped(try network.input(layer, index), [])
        }
        let inputs = [try operand(1, p.start), try operand(0, 0), try operand(2, p.step)]
        try network.output(layer, try network.writer.apply("Range", inputs))
    }
}
