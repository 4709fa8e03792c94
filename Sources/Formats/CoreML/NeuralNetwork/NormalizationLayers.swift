import Graphs
import Tensors

extension LayerKind {
    /// y = gamma · (x − mean) / √(variance + epsilon) + beta for each channel, with given or own mean and variance.
    static func batchNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (gammaField, betaField, meanField, varianceField) = (15, 16, 17, 18)
        let fields: Set = [gammaField, betaField, meanField, varianceField]
        let p = try layer.decode(CoreMLBatchNormalizationParameters.self, weights: fields)
        let shape = [p.channels.count]
        let epsilon = AttributeValue.float(p.epsilon == 0 ? 1e-5 : p.epsilon)
        let x = try network.input(layer)
        var inputs = [x]
        for (field, name) in [(gammaField, "gamma"), (betaField, "beta")] {
            inputs.append(network.writer.constant(try layer.weights(field).tensor(shape: shape), name))
        }
        // A prediction has one image, so that its own statistics are those of the instance.
        if p.computesMeanAndVariance || p.isInstanceNormalization {
            inputs[0] = try network.image(x)
            try network.output(
                layer, try network.writer.apply("InstanceNormalization", inputs, ["epsilon": epsilon]))
            return
        }
        for (field, name) in [(meanField, "mean"), (varianceField, "variance")] {
            inputs.append(network.writer.constant(try layer.weights(field).tensor(shape: shape), name))
        }
        let extents = try network.shape(x)
        guard network.rule == .exact, extents.count == 3 || extents.count == 5 else {
            try network.output(layer, try network.writer.apply("BatchNormalization", inputs, ["epsilon": epsilon]))
            return
        }
        // The channels are third from the end, and ONNX's second from the front.
        inputs[0] = try network.reshaped(x, [-1] + extents.suffix(3))
        let result = try network.writer.apply("BatchNormalization", inputs, ["epsilon": epsilon])
        try network.output(layer, try network.reshaped(result, extents))
    }

    /// y = (x − mean) / √(variance + epsilon), over height and width, or also over channels.
    static func meanVarianceNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLMeanVarianceNormalizationParameters.self)
        let x = try network.image(try network.input(layer))
        let axes = try network.writer.constant(integers: p.acrossChannels ? [-3, -2, -1] : [-2, -1], "axes")
        let mean = try network.writer.apply("ReduceMean", [x, axes])
        let centered = try network.writer.apply("Sub", [x, mean])
        guard p.normalizesVariance else { return try network.output(layer, centered) }
        let squares = try network.writer.apply("Mul", [centered, centered])
        let variance = try network.writer.apply("ReduceMean", [squares, axes])
        let epsilon = try network.writer.constant([p.epsilon])
        let deviation = try network.writer.apply(
            "Sqrt", [try network.writer.apply("Add", [variance, epsilon])])
        try network.output(layer, try network.writer.apply("Div", [centered, deviation]))
    }

    /// y = x / √(Σ x² + epsilon) over the last three axes.
    static func l2Normalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLEpsilonParameters.self)
        let x = try network.image(try network.input(layer))
        let axes = try network.writer.constant(integers: [-3, -2, -1], "axes")
        let energy = try network.writer.apply("ReduceSumSquare", [x, axes])
        let sum = try network.writer.apply("Add", [energy, try network.writer.constant([p.epsilon])])
        try network.output(
            layer, try network.writer.apply("Div", [x, try network.writer.apply("Sqrt", [sum])]))
    }

    /// Softmax over the channels.
    static func softmax(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let x = try network.vector(try network.input(layer))
        let axis = try network.channelAxis(x)
        try network.output(layer, try network.writer.apply("Softmax", [x], ["axis": .int(axis)]))
    }

    static func softmaxND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLAxisParameters.self)
        let axis = try network.axis(p.axis)
        try network.output(
            layer, try network.writer.apply("Softmax", [try network.input(layer)], ["axis": .int(axis)]))
    }

    /// y = x / (k + alpha / size · Σ x²)^beta over neighbouring channels.
    static func localResponseNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLLRNParameters.self)
        let attributes: [String: AttributeValue] = [
            "size": .int(p.size.count), "alpha": .float(p.alpha), "beta": .float(p.beta),
            "bias": .float(p.k == 0 ? 1 : p.k),
        ]
        try network.output(
            layer, try network.writer.apply("LRN", [try network.image(try network.input(layer))], attributes))
    }

    /// y = gamma · (x − mean) / √(variance + epsilon) + beta over the last axes, which have the weights' shape.
    static func layerNormalization(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (gammaField, betaField) = (3, 4)
        let p = try layer.decode(CoreMLLayerNormalizationParameters.self, weights: [gammaField, betaField])
        let shape = p.shape.map { Int($0) }
        var inputs = [try network.input(layer)]
        inputs.append(network.writer.constant(try layer.weights(gammaField).tensor(shape: shape), "gamma"))
        inputs.append(network.writer.constant(try layer.weights(betaField).tensor(shape: shape), "beta"))
        try network.output(
            layer,
            try network.writer.apply(
                "LayerNormalization", inputs,
                ["axis": .int(-shape.count), "epsilon": .float(p.epsilon == 0 ? 1e-5 : p.epsilon)]))
    }
}
