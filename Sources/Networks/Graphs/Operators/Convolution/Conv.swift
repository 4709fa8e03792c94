import Tensors

/// A convolution as in neural networks: a cross-correlation.
///
/// y[n, m, o] = b[m] + Σ_{c, k} x[n, c₀ + c, o · stride + k · dilation − pad] · w[m, c, k], where c runs over the C /
/// group channels of m's group, which begin at c₀. Rewrites may fuse more: activation(y + addend).
///
/// Shapes: x [N, C, spatial…], w [M, C / group, kernel…], b [M] (optional), addend [N, M, spatial…] (optional, never in
/// a model file) → [N, M, spatial…].
/// Attributes: `group` (1) and those of ``SpatialWindow``.
/// Numerics: sums in float64, in the order of c and k.
/// Reference: https://onnx.ai/onnx/operators/onnx__Conv.html
package struct Conv: ActivationFusing {
    package static let name = "Conv"
    package static let inputCount = 2...3
    package static let fusedInputCount = 1
    /// The position of the addend among the inputs.
    package static let addendPosition = 3
    package var group: Int
    package var window: SpatialWindow
    package var activation: Activation?

    package init(
        group: Int = 1, kernel: [Int] = [], strides: [Int] = [], dilations: [Int] = [], pads: [Int] = [],
        autoPad: SpatialWindow.AutoPad = .notSet, activation: Activation? = nil
    ) {
        self.group = group
        self.activation = activation
        window = SpatialWindow(kernel: kernel, strides: strides, dilations: dilations, pads: pads, autoPad: autoPad)
    }

    package init(group: Int = 1, window: SpatialWindow) {
        self.group = group
        self.window = window
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        group = try attributes.int("group", default: 1)
        window = try SpatialWindow(&attributes)
        guard group >= 1 else { throw .invalid("attribute \"group\" is \(group); at least 1 is expected") }
    }

    package var attributes: [String: AttributeValue] {
        var values = window.attributes
        if group != 1 { values["group"] = .int(Int64(group)) }
        return values
    }

    /// The window over an input whose shape the shape rule has accepted.
    package func geometry(x: [Int], w: [Int]) throws(OperatorError) -> SpatialWindow.Geometry {
        try window.geometry(input: Array(x.dropFirst(2)), weights: Array(w.dropFirst(2)))
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        let w = try inputs.required(1)
        try inputs.expectSameElementType(0..<4)
        guard x.rank >= 3, w.rank == x.rank else {
            throw .invalid("input \(x.shape) and weights \(w.shape) must have as many axes, at least 3")
        }
        guard x.shape[1] % group == 0, w.shape[1] == x.shape[1] / group else {
            throw .invalid("input \(x.shape) in \(group) groups does not fit weights \(w.shape)")
        }
        guard w.shape[0] % group == 0 else {
            throw .invalid("\(w.shape[0]) output channels do not divide into \(group) groups")
        }
        if let bias = inputs.optional(2), bias.shape != [w.shape[0]] {
            throw .invalid("bias \(bias.shape) does not fit \(w.shape[0]) output channels")
        }
        let output = [x.shape[0], w.shape[0]] + (try geometry(x: x.shape, w: w.shape)).output
        if let addend = inputs.optional(Self.addendPosition), addend.shape != output {
            throw .invalid("addend \(addend.shape) does not fit the result \(output)")
        }
        return [TensorType(x.elementType, output)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let taps = inputs.optional(1)?.shape.dropFirst() ?? []
        let multiplyAdds = ((outputs.first?.shape ?? []) + taps).saturatingProduct
        return OperatorCost(multiplyAdds: multiplyAdds, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let w = try inputs.required(1)
        let columns = ConvolutionColumns(try geometry(x: x.shape, w: w.shape).inThreeAxes())
        let bias = inputs.optional(2)?.float64Elements ?? []
        let addend = inputs.optional(Self.addendPosition)?.float64Elements ?? []
        let (channels, features) = (w.shape[1], w.shape[0] / group)
        let depth = channels * columns.kernelCount
        let y = try Tensor(outputTypes[0]) { y in
            guard let start = y.baseAddress, !y.isEmpty else { return }
            for index in 0..<group {
                let weights = try w.sliced(axis: 0, index * features..<(index + 1) * features).float64Elements
                for image in 0..<x.shape[0] {
                    let pixels = try x.sliced(axis: 0, image..<image + 1)
                        .sliced(axis: 1, index * channels..<(index + 1) * channels).float64Elements
                    let target = start + (image * w.shape[0] + index * features) * columns.count
                    weights.withUnsafeBufferPointer { weights in
                        columns.forEachPanel(of: pixels, channels: channels) { panel, first, width in
                            guard let weights = weights.baseAddress else { return }
                            MatrixProduct.multiply(
                                weights, rows: features, panel, columns: width, depth: depth, into: target + first,
                                resultStride: columns.count)
                        }
                    }
                }
            }
            MatrixProduct.finish(y, bias: bias, addend: addend, extent: columns.count, activation)
        }
        return [y]
    }
}
