import Graphs
import Tensors

extension LayerKind {
    private enum BatchNormalizationField: Int, MessageField {
        case gamma = 15, beta, mean, variance
    }

    /// y = gamma · (x − mean) / √(variance + epsilon) + beta for each channel. The mean and variance are given or
    /// computed from x.
    static func batchNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLBatchNormalizationParameters.self, without: BatchNormalizationField.self)
        let epsilon = p.epsilon == 0 ? 1e-5 : p.epsilon
        let x = try network.input(layer)
        func weights(_ field: BatchNormalizationField) throws(FormatError) -> Graph.ValueID {
            network.writer.constant(try layer.weights(field).tensor(shape: [p.channels.count]), "\(field)")
        }
        var inputs = [x, try weights(.gamma), try weights(.beta)]
        // A prediction has one image, so the batch's statistics are those of the instance.
        if p.computesMeanAndVariance || p.isInstanceNormalization {
            inputs[0] = try network.image(x)
            let normalization = InstanceNormalization(epsilon: epsilon)
            return try network.output(layer, try network.writer.apply(normalization, inputs))
        }
        inputs += [try weights(.mean), try weights(.variance)]
        let normalization = BatchNormalization(epsilon: epsilon)
        let extents = try network.shape(x)
        guard network.rule == .exact, extents.count == 3 || extents.count == 5 else {
            return try network.output(layer, try network.writer.apply(normalization, inputs))
        }
        // The channels are the third axis from the end; the operator expects them as the second axis.
        let shape = try network.writer.shapeValue(of: x)
        let ending = try network.writer.sliced(shape, from: [-3], to: [SliceRange.last], axes: [0])
        let first = try network.writer.constant(integers: [-1], "shape")
        let folded = try network.writer.apply(Concat(axis: 0), [first, ending])
        inputs[0] = try network.writer.apply(Reshape(), [x, folded])
        let result = try network.writer.apply(normalization, inputs)
        try network.output(layer, try network.writer.apply(Reshape(), [result, shape]))
    }

    /// y = (x − mean) / √(variance + epsilon), over height and width, or also over channels.
    static func meanVarianceNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLMeanVarianceNormalizationParameters.self)
        let x = try network.image(try network.input(layer))
        let axes = try network.writer.constant(integers: p.acrossChannels ? [-3, -2, -1] : [-2, -1], "axes")
        let mean = try network.writer.apply(ReduceMean(), [x, axes])
        let centered = try network.writer.apply(Sub(), [x, mean])
        guard p.normalizesVariance else { return try network.output(layer, centered) }
        let squares = try network.writer.apply(Mul(), [centered, centered])
        let variance = try network.writer.apply(ReduceMean(), [squares, axes])
        let epsilon = try network.writer.constant(p.epsilon)
        let deviation = try network.writer.apply(Sqrt(), [try network.writer.apply(Add(), [variance, epsilon])])
        try network.output(layer, try network.writer.apply(Div(), [centered, deviation]))
    }

    static func l2Normalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let epsilon = try layer.decode(CoreMLEpsilonParameters.self).epsilon
        let x = try network.image(try network.input(layer))
        try network.output(layer, try network.writer.l2Normalized(x, epsilon: epsilon))
    }

    /// Softmax over the channels.
    static func softmax(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let x = try network.vector(try network.input(layer))
        let axis = try network.channelAxis(x)
        try network.output(layer, try network.writer.apply(Softmax(axis: axis), [x]))
    }

    static func softmaxND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let axis = try network.axis(try layer.decode(CoreMLAxisParameters.self).axis)
        try network.output(layer, try network.writer.apply(Softmax(axis: axis), [try network.input(layer)]))
    }

    /// y = x / (k + alpha / size · Σ x²)^beta over neighbouring channels.
    static func localResponseNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLLRNParameters.self)
        let normalization = LRN(size: p.size.count, alpha: p.alpha, beta: p.beta, bias: p.k == 0 ? 1 : p.k)
        let x = try network.image(try network.input(layer))
        try network.output(layer, try network.writer.apply(normalization, [x]))
    }

    private enum LayerNormalizationField: Int, MessageField {
        case gamma = 3, beta
    }

    /// y = gamma · (x − mean) / √(variance + epsilon) + beta over the last axes, which have the weights' shape.
    static func layerNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLLayerNormalizationParameters.self, without: LayerNormalizationField.self)
        let shape = p.shape.map { Int($0) }
        var inputs = [try network.input(layer)]
        for field in LayerNormalizationField.allCases {
            inputs.append(network.writer.constant(try layer.weights(field).tensor(shape: shape), "\(field)"))
        }
        let normalization = LayerNormalization(axis: -shape.count, epsilon: p.epsilon == 0 ? 1e-5 : p.epsilon)
        try network.output(layer, try network.writer.apply(normalization, inputs))
    }
}
