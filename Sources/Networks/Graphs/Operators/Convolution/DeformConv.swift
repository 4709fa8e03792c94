import Tensors

/// A convolution whose kernel elements are moved by offsets and weighted by a mask, separately for each output element.
///
/// y[n, m, o] = b[m] + Σ_{c, k} mask[n, k, o] · x[n, c₀ + c, o · stride + k · dilation − pad + offset[n, k, o]] · w[m,
/// c, k]; x is interpolated between its four neighbours, and 0 outside.
///
/// Shapes: x [N, C, H, W], w [M, C / group, kH, kW], offset [N, offset_group · kH · kW · 2, H', W'] (vertical first), b
/// [M] (optional), mask [N, offset_group · kH · kW, H', W'] (optional) → [N, M, H', W'].
/// Attributes: `group` (1), `offset_group` (1), and those of ``SpatialWindow`` but `auto_pad`.
/// Numerics: sums in float64; NaN as an offset gives 0.
/// Reference: https://onnx.ai/onnx/operators/onnx__DeformConv.html
package struct DeformConv: Operator {
    package static let name = "DeformConv"
    package static let inputCount = 3...5
    package var group: Int
    package var offsetGroup: Int
    package var window: SpatialWindow

    package init(
        group: Int = 1, offsetGroup: Int = 1, strides: [Int] = [], dilations: [Int] = [], pads: [Int] = []
    ) {
        self.group = group
        self.offsetGroup = offsetGroup
        window = SpatialWindow(strides: strides, dilations: dilations, pads: pads)
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        group = try attributes.int("group", default: 1)
        offsetGroup = try attributes.int("offset_group", default: 1)
        window = try SpatialWindow(&attributes)
        guard group >= 1 else { throw .invalid("attribute \"group\" is \(group); at least 1 is expected") }
        guard offsetGroup >= 1 else {
            throw .invalid("attribute \"offset_group\" is \(offsetGroup); at least 1 is expected")
        }
    }

    package var attributes: [String: AttributeValue] {
        var values = window.attributes
        if group != 1 { values["group"] = .int(Int64(group)) }
        if offsetGroup != 1 { values["offset_group"] = .int(Int64(offsetGroup)) }
        return values
    }

    private func geometry(x: [Int], w: [Int]) throws(OperatorError) -> SpatialWindow.Geometry {
        try window.geometry(input: Array(x.dropFirst(2)), weights: Array(w.dropFirst(2)))
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, w, offset) = (try inputs.floatingPoint(0), try inputs.required(1), try inputs.required(2))
        try inputs.expectSameElementType(0..<5)
        guard x.rank == 4, w.rank == 4 else { throw .unsupported("input \(x.shape); two spatial axes are supported") }
        guard x.shape[1] % group == 0, w.shape[1] == x.shape[1] / group, w.shape[0] % group == 0 else {
            throw .invalid("input \(x.shape) in \(group) groups does not fit weights \(w.shape)")
        }
        guard x.shape[1] % offsetGroup == 0 else {
            throw .invalid("the channels of input \(x.shape) do not divide into \(offsetGroup) groups with offsets")
        }
        if let bias = inputs.optional(3), bias.shape != [w.shape[0]] {
            throw .invalid("bias \(bias.shape) does not fit \(w.shape[0]) output channels")
        }
        let output = try geometry(x: x.shape, w: w.shape).output
        let taps = try [offsetGroup, w.shape[2], w.shape[3]].product(of: "kernel")
        let pairs = try [taps, 2].product(of: "kernel")
        guard offset.shape == [x.shape[0], pairs] + output else {
            throw .invalid("offset \(offset.shape) must have the shape \([x.shape[0], pairs] + output)")
        }
        if let mask = inputs.optional(4), mask.shape != [x.shape[0], taps] + output {
            throw .invalid("mask \(mask.shape) must have the shape \([x.shape[0], taps] + output)")
        }
        return [TensorType(x.elementType, [x.shape[0], w.shape[0]] + output)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let taps = inputs.optional(1)?.shape.dropFirst() ?? []
        let multiplyAdds = ((outputs.first?.shape ?? []) + taps).saturatingProduct
        return OperatorCost(multiplyAdds: multiplyAdds, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, w) = (try inputs.required(0), try inputs.required(1))
        let geometry = try geometry(x: x.shape, w: w.shape)
        let (taps, count) = (geometry.kernel.elementCount, geometry.output.elementCount)
        let (channels, features) = (w.shape[1], w.shape[0] / group)
        let bias = inputs.optional(3)?.float64Elements ?? []
        let weights = try w.reshaped(to: [w.shape[0], channels * taps])
        let y = try Tensor(outputTypes[0]) { y in
            guard let start = y.baseAddress, !y.isEmpty else { return }
            for image in 0..<x.shape[0] {
                func part(_ index: Int) throws -> [Double]? {
                    try inputs.optional(index)?.sliced(axis: 0, image..<image + 1).float64Elements
                }
                let samples = try Tensor(TensorType(.float64, [x.shape[1] * taps, count])) { samples in
                    sample(
                        try part(0) ?? [], try part(2) ?? [], try part(4), geometry, channels: x.shape[1],
                        into: samples)
                }
                for index in 0..<group {
                    try MatrixProduct.multiply(
                        try weights.sliced(axis: 0, index * features..<(index + 1) * features),
                        try samples.sliced(axis: 0, index * channels * taps..<(index + 1) * channels * taps),
                        into: start + (image * w.shape[0] + index * features) * count)
                }
            }
            MatrixProduct.finish(y, bias: bias, extent: count, nil)
        }
        return [y]
    }

    /// Lays out one image as a matrix: a row for every channel and kernel element, a column for every output position.
    private func sample(
        _ pixels: [Double], _ offsets: [Double], _ mask: [Double]?, _ geometry: SpatialWindow.Geometry, channels: Int,
        into samples: UnsafeMutableBufferPointer<Double>
    ) {
        let (height, width) = (geometry.input[0], geometry.input[1])
        let (taps, count) = (geometry.kernel.elementCount, geometry.output.elementCount)
        let perGroup = channels / offsetGroup
        for row in 0..<offsetGroup * taps {
            let (set, tap) = (row / taps, row % taps)
            let (k, l) = (tap / geometry.kernel[1], tap % geometry.kernel[1])
            for column in 0..<count {
                let (i, j) = (column / geometry.output[1], column % geometry.output[1])
                let v = Double(geometry.origin(0, i) + k * geometry.dilations[0]) + offsets[row * 2 * count + column]
                let u =
                    Double(geometry.origin(1, j) + l * geometry.dilations[1]) + offsets[(row * 2 + 1) * count + column]
                guard v > -1, v < Double(height), u > -1, u < Double(width) else { continue }
                let (top, left) = (v.rounded(.down), u.rounded(.down))
                let factor = mask?[row * count + column] ?? 1
                for corner in 0..<4 {
                    let (h, w) = (Int(top) + corner / 2, Int(left) + corner % 2)
                    guard h >= 0, h < height, w >= 0, w < width else { continue }
                    let weight = factor * (1 - (v - Double(h)).magnitude) * (1 - (u - Double(w)).magnitude)
                    for channel in set * perGroup..<(set + 1) * perGroup {
                        samples[(channel * taps + tap) * count + column] +=
                            weight * pixels[(channel * height + h) * width + w]
                    }
                }
            }
        }
    }
}
