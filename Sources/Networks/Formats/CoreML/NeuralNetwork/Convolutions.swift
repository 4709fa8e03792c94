import Graphs
import Tensors

extension LayerKind {
    private enum ConvolutionField: Int, MessageField {
        case weights = 90, bias
    }

    /// Convolution [C, H, W] with weights [outputChannels, C / groups, kernel], or its transpose with weights
    /// [C, outputChannels / groups, kernel]. A second input gives the weights, a third the bias.
    static func convolution(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLConvolutionParameters.self, without: ConvolutionField.self)
        let kernel = p.kernelSize.counts(or: [3, 3])
        let group = max(1, p.groupCount.count)
        let (outputs, channels) = (p.outputChannels.count, p.kernelChannels.count)
        var inputs = [try network.image(try network.input(layer))]
        if layer.inputs.count > 1 {
            for index in 1..<layer.inputs.count { inputs.append(try network.input(layer, index)) }
        } else {
            let shape = (p.isDeconvolution ? [channels, outputs / group] : [outputs, channels]) + kernel
            let weights = try layer.weights(ConvolutionField.weights).tensor(shape: shape)
            inputs.append(network.writer.constant(weights, "weights"))
            if p.hasBias_p {
                let bias = try layer.weights(ConvolutionField.bias).tensor(shape: [outputs])
                inputs.append(network.writer.constant(bias, "bias"))
            }
        }
        var window = SpatialWindow(
            kernel: kernel, strides: p.stride.counts(or: [1, 1]), dilations: p.dilation.counts(or: [1, 1]))
        switch p.padding {
        case .valid(let valid): window.pads = try valid.amounts.pads
        case .same(let same): window.autoPad = same.autoPad
        case nil: break
        }
        if p.isDeconvolution, !p.outputShape.isEmpty, window.autoPad == .notSet { window.autoPad = .sameUpper }
        let operation: any Operator =
            p.isDeconvolution
            ? ConvTranspose(group: group, window: window, outputShape: p.outputShape.counts())
            : Conv(group: group, window: window)
        try network.output(layer, try network.writer.apply(operation, inputs))
    }

    private enum Convolution3DField: Int, MessageField {
        case weights = 60, bias
    }

    /// Convolution over [C, D, H, W].
    static func convolution3D(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLConvolution3DParameters.self, without: Convolution3DField.self)
        let kernel = [p.kernelDepth, p.kernelHeight, p.kernelWidth].map(Int.init)
        let (group, outputs, channels) = (max(1, Int(p.groupCount)), Int(p.outputChannels), Int(p.inputChannels))
        let shape = (p.isDeconvolution ? [channels, outputs / group] : [outputs, channels / group]) + kernel
        var inputs = [try network.input(layer)]
        let weights = try layer.weights(Convolution3DField.weights).tensor(shape: shape)
        inputs.append(network.writer.constant(weights, "weights"))
        if p.hasBias_p {
            let bias = try layer.weights(Convolution3DField.bias).tensor(shape: [outputs])
            inputs.append(network.writer.constant(bias, "bias"))
        }
        var window = SpatialWindow(
            kernel: kernel, strides: [p.strideDepth, p.strideHeight, p.strideWidth].map { max(1, Int($0)) },
            dilations: [p.dilationDepth, p.dilationHeight, p.dilationWidth].map { max(1, Int($0)) })
        window.setPadding(p.padding, [p.front, p.top, p.left, p.back, p.bottom, p.right])
        let operation: any Operator =
            p.isDeconvolution
            ? ConvTranspose(group: group, window: window, outputShape: p.outputShape.counts())
            : Conv(group: group, window: window)
        try network.output(layer, try network.writer.apply(operation, inputs))
    }
}

extension SpatialWindow {
    /// The padding of layers over [C, D, H, W], by number.
    private enum Padding3D: Int32 {
        case custom, valid, same
    }

    /// - Parameters:
    ///   - kind: The padding's number in the file.
    ///   - amounts: The amounts of custom padding: the begins of all axes, then the ends.
    mutating func setPadding(_ kind: Int32, _ amounts: [Int32]) {
        switch Padding3D(rawValue: kind) {
        case .custom: pads = amounts.map(Int.init)
        case .same: autoPad = .sameUpper
        case .valid, nil: break
        }
    }
}

extension CoreMLSamePadding {
    /// The side that gets an odd row or column of padding.
    var autoPad: SpatialWindow.AutoPad { asymmetry == 0 ? .sameUpper : .sameLower }
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
