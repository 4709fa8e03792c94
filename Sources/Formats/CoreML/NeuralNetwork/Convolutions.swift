import Graphs
import Tensors

extension LayerKind {
    /// Convolution [C, H, W] with weights [outputChannels, C / groups, kernel], or its transpose with weights
    /// [C, outputChannels / groups, kernel]. A second input gives the weights, a third the bias.
    static func convolution(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (weightsField, biasField) = (90, 91)
        let parameters = try layer.decode(CoreMLConvolutionParameters.self, weights: [weightsField, biasField])
        let kernel = parameters.kernelSize.counts(or: [3, 3])
        let group = max(1, parameters.groupCount.count)
        let (outputs, channels) = (parameters.outputChannels.count, parameters.kernelChannels.count)
        var inputs = [try network.image(try network.input(layer))]
        if layer.inputs.count > 1 {
            for index in 1..<layer.inputs.count { inputs.append(try network.input(layer, index)) }
        } else {
            let shape =
                [parameters.isDeconvolution ? channels : outputs]
                + [parameters.isDeconvolution ? outputs / group : channels] + kernel
            inputs.append(network.writer.constant(try layer.weights(weightsField).tensor(shape: shape), "weights"))
            if parameters.hasBias_p {
                inputs.append(network.writer.constant(try layer.weights(biasField).tensor(shape: [outputs]), "bias"))
            }
        }
        var attributes = try windowAttributes(
            kernel: kernel, strides: parameters.stride.counts(or: [1, 1]), parameters.padding)
        attributes["dilations"] = .ints(parameters.dilation.counts(or: [1, 1]))
        attributes["group"] = .int(group)
        guard parameters.isDeconvolution else {
            try network.output(layer, try network.writer.apply("Conv", inputs, attributes))
            return
        }
        if !parameters.outputShape.isEmpty {
            attributes["output_shape"] = .ints(parameters.outputShape.counts())
            if attributes["auto_pad"] == nil { attributes["auto_pad"] = .string("SAME_UPPER") }
        }
        try network.output(layer, try network.writer.apply("ConvTranspose", inputs, attributes))
    }

    /// The attributes of a window with the padding of a convolution.
    private static func windowAttributes(
        kernel: [Int], strides: [Int], _ padding: CoreMLConvolutionParameters.OneOf_Padding?
    ) throws(FormatError) -> [String: AttributeValue] {
        var attributes: [String: AttributeValue] = ["kernel_shape": .ints(kernel), "strides": .ints(strides)]
        switch padding {
        case .valid(let valid): attributes["pads"] = .ints(try valid.amounts.pads)
        case .same(let same): attributes["auto_pad"] = .string(same.mode)
        case nil: break
        }
        return attributes
    }

    /// Convolution over [C, D, H, W].
    static func convolution3D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (weightsField, biasField) = (60, 61)
        let p = try layer.decode(CoreMLConvolution3DParameters.self, weights: [weightsField, biasField])
        let kernel = [p.kernelDepth, p.kernelHeight, p.kernelWidth].map(Int.init)
        let (group, outputs, channels) = (max(1, Int(p.groupCount)), Int(p.outputChannels), Int(p.inputChannels))
        let shape = (p.isDeconvolution ? [channels, outputs / group] : [outputs, channels / group]) + kernel
        var inputs = [try network.input(layer)]
        inputs.append(network.writer.constant(try layer.weights(weightsField).tensor(shape: shape), "weights"))
        if p.hasBias_p {
            inputs.append(network.writer.constant(try layer.weights(biasField).tensor(shape: [outputs]), "bias"))
        }
        var attributes: [String: AttributeValue] = ["kernel_shape": .ints(kernel), "group": .int(group)]
        attributes["strides"] = .ints([p.strideDepth, p.strideHeight, p.strideWidth].map { max(1, Int($0)) })
        attributes["dilations"] = .ints([p.dilationDepth, p.dilationHeight, p.dilationWidth].map { max(1, Int($0)) })
        switch p.padding {
        case 0: attributes["pads"] = .ints([p.front, p.top, p.left, p.back, p.bottom, p.right].map(Int.init))
        case 2: attributes["auto_pad"] = .string("SAME_UPPER")
        default: break
        }
        if p.isDeconvolution, !p.outputShape.isEmpty { attributes["output_shape"] = .ints(p.outputShape.counts()) }
        let name = p.isDeconvolution ? "ConvTranspose" : "Conv"
        try network.output(layer, try network.writer.apply(name, inputs, attributes))
    }
}

extension CoreMLSamePadding {
    /// The mode in ONNX's words.
    var mode: String { asymmetry == 0 ? "SAME_UPPER" : "SAME_LOWER" }
}

extension CoreMLBorderAmounts {
    /// The pads of height and width: both begins, then both ends.
    var pads: [Int] {
        get throws(FormatError) {
            guard !amounts.isEmpty else { return [0, 0, 0, 0] }
            guard amounts.count == 2 else { throw .invalid("has borders for \(amounts.count) axes; 2 are expected") }
            return amounts.map(\.start.count) + amounts.map(\.end.count)
        }
    }
}
