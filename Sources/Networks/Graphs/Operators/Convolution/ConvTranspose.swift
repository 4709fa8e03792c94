import Tensors

/// A transposed convolution: the map from outputs back to inputs that a convolution's gradient uses.
///
/// y[n, m, i · stride + k · dilation − pad] += x[n, c, i] · w[c, m, k] for every channel c of m's group, plus b[m].
///
/// Shapes: x [N, C, spatial…], w [C, M / group, kernel…], b [M] (optional) → [N, M, spatial…] with (input − 1) · stride
/// + (kernel − 1) · dilation + 1 + output_padding − pads, or `output_shape`, or input · stride where `auto_pad` is
/// SAME.
/// Attributes: `group` (1), `output_padding` (0 each), `output_shape` and those of ``SpatialWindow``.
/// Numerics: sums in float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
package struct ConvTranspose: Operator {
    package static let name = "ConvTranspose"
    package static let inputCount = 2...3
    package var group: Int
    package var window: SpatialWindow
    package var outputPadding: [Int]
    package var outputShape: [Int]

    package init(
        group: Int = 1, kernel: [Int] = [], strides: [Int] = [], dilations: [Int] = [], pads: [Int] = [],
        autoPad: SpatialWindow.AutoPad = .notSet, outputPadding: [Int] = [], outputShape: [Int] = []
    ) {
        self.group = group
        self.outputPadding = outputPadding
        self.outputShape = outputShape
        window = SpatialWindow(kernel: kernel, strides: strides, dilations: dilations, pads: pads, autoPad: autoPad)
    }

    package init(group: Int = 1, window: SpatialWindow, outputPadding: [Int] = [], outputShape: [Int] = []) {
        self.group = group
        self.window = window
        self.outputPadding = outputPadding
        self.outputShape = outputShape
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        group = try attributes.int("group", default: 1)
        window = try SpatialWindow(&attributes)
        outputPadding = try attributes.ints("output_padding") ?? []
        outputShape = try attributes.ints("output_shape") ?? []
        guard group >= 1 else { throw .invalid("attribute \"group\" is \(group); at least 1 is expected") }
        try SpatialWindow.check("output_padding", outputPadding, least: 0)
        try SpatialWindow.check("output_shape", outputShape, least: 1)
    }

    package var attributes: [String: AttributeValue] {
        var values = window.attributes
        if group != 1 { values["group"] = .int(Int64(group)) }
        if outputPadding.contains(where: { $0 != 0 }) {
            values["output_padding"] = .ints(outputPadding.map(Int64.init))
        }
        if !outputShape.isEmpty { values["output_shape"] = .ints(outputShape.map(Int64.init)) }
        return values
    }

    /// The window of y to which an element of x contributes; `input` holds x's extents, `output` those of y.
    package func geometry(x: [Int], w: [Int]) throws(OperatorError) -> SpatialWindow.Geometry {
        var result = try window.defaults(input: Array(x.dropFirst(2)), weights: Array(w.dropFirst(2)))
        let rank = result.input.count
        guard outputPadding.isEmpty || outputPadding.count == rank else {
            throw .invalid("attribute \"output_padding\" is \(outputPadding); the input has \(rank) spatial axes")
        }
        let requested = outputShape.count == rank + 2 ? Array(outputShape.dropFirst(2)) : outputShape
        guard requested.isEmpty || requested.count == rank else {
            throw .invalid("attribute \"output_shape\" is \(outputShape); the input has \(rank) spatial axes")
        }
        for axis in 0..<rank {
            let padding = outputPadding.isEmpty ? 0 : outputPadding[axis]
            let reach = (result.kernel[axis] - 1) * result.dilations[axis] + 1
            let steps = try [max(result.input[axis], 1) - 1, result.strides[axis]].product(of: "input times stride")
            let (full, overflow) = steps.addingReportingOverflow(reach + padding)
            guard !overflow else { throw .invalid("the extent of axis \(axis + 2) of the output is too large") }
            var extent = full - result.padsBegin[axis] - result.padsEnd[axis]
            let isSame = window.autoPad == .sameUpper || window.autoPad == .sameLower
            if isSame || !requested.isEmpty {
                extent =
                    requested.isEmpty
                    ? try [result.input[axis], result.strides[axis]].product(of: "input times stride")
                    : requested[axis]
                let total = max(0, full - extent)
                result.padsBegin[axis] = window.autoPad == .sameUpper ? total / 2 : total - total / 2
                result.padsEnd[axis] = total - result.padsBegin[axis]
            }
            guard extent > 0 else { throw .invalid("the pads leave nothing of axis \(axis + 2) of the output") }
            result.output.append(extent)
        }
        return result
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, w) = (try inputs.floatingPoint(0), try inputs.required(1))
        try inputs.expectSameElementType(0..<3)
        guard x.rank >= 3, w.rank == x.rank, w.shape[0] == x.shape[1], x.shape[1] % group == 0 else {
            throw .invalid("input \(x.shape) in \(group) groups does not fit weights \(w.shape)")
        }
        let channels = try [w.shape[1], group].product(of: "channels")
        if let bias = inputs.optional(2), bias.shape != [channels] {
            throw .invalid("bias \(bias.shape) does not fit \(channels) output channels")
        }
        return [TensorType(x.elementType, [x.shape[0], channels] + (try geometry(x: x.shape, w: w.shape)).output)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let taps = inputs.optional(1)?.shape.dropFirst() ?? []
        let multiplyAdds = ((inputs.optional(0)?.shape ?? []) + taps).saturatingProduct
        return OperatorCost(multiplyAdds: multiplyAdds, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, w) = (try inputs.required(0), try inputs.required(1))
        let geometry = try geometry(x: x.shape, w: w.shape).inThreeAxes()
        let bias = inputs.optional(2)?.float64Elements ?? []
        let (pixels, weights) = (x.float64Elements, w.float64Elements)
        let (features, channels) = (w.shape[1], x.shape[1] / group)
        let (area, taps) = (geometry.input.elementCount, geometry.kernel.elementCount)
        let extent = geometry.output.elementCount
        let y = try Tensor(outputTypes[0]) { y in
            for image in 0..<(y.isEmpty ? 0 : x.shape[0]) {
                for channel in 0..<x.shape[1] {
                    for feature in 0..<features {
                        let target = (image * group + channel / channels) * features + feature
                        geometry.spread(
                            pixels[(image * x.shape[1] + channel) * area..<(image * x.shape[1] + channel + 1) * area],
                            weights[(channel * features + feature) * taps..<(channel * features + feature + 1) * taps],
                            into: UnsafeMutableBufferPointer(rebasing: y[target * extent..<(target + 1) * extent]))
                    }
                }
            }
            MatrixProduct.finish(y, bias: bias, extent: extent, nil)
        }
        return [y]
    }
}

extension SpatialWindow.Geometry {
    /// Adds the elements of one channel, each times the kernel, to one channel of the output, over three axes.
    fileprivate func spread(
        _ pixels: ArraySlice<Double>, _ kernel: ArraySlice<Double>, into target: UnsafeMutableBufferPointer<Double>
    ) {
        for (position, pixel) in pixels.enumerated() {
            let d = origin(0, position / (input[1] * input[2]))
            let h = origin(1, position / input[2] % input[1])
            let w = origin(2, position % input[2])
            let (rows, columns) = (taps(1, origin: h, to: output[1]), taps(2, origin: w, to: output[2]))
            for k0 in taps(0, origin: d, to: output[0]) {
                for k1 in rows {
                    let row = ((d + k0 * dilations[0]) * output[1] + h + k1 * dilations[1]) * output[2] + w
                    let weight = kernel.startIndex + (k0 * self.kernel[1] + k1) * self.kernel[2]
                    for k2 in columns { target[row + k2 * dilations[2]] += pixel * kernel[weight + k2] }
                }
            }
        }
    }
}
