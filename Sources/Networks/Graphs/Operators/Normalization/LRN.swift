import Tensors

/// Local response normalisation: divides each element by the energy of its neighbours in other channels.
///
/// y[n, c, …] = x[n, c, …] / (bias + alpha / size · Σ_i x[n, i, …]²)^beta, with i from c − ⌊(size − 1) / 2⌋ to
/// c + ⌈(size − 1) / 2⌉, limited to existing channels.
///
/// Shapes: [N, C, …] → the same.
/// Attributes: `size` (required), `alpha` (0.0001), `beta` (0.75), `bias` (1).
/// Numerics: sums in float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__LRN.html
package struct LRN: Operator {
    package static let name = "LRN"
    package static let inputCount = 1...1
    package var size: Int
    package var alpha: Float
    package var beta: Float
    package var bias: Float

    package init(size: Int, alpha: Float = 0.0001, beta: Float = 0.75, bias: Float = 1) {
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.bias = bias
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let size = try attributes.int("size") else { throw .invalid("attribute \"size\" is missing") }
        try SpatialWindow.check("size", [size], least: 1)
        self.init(
            size: size, alpha: try attributes.float("alpha", default: 0.0001),
            beta: try attributes.float("beta", default: 0.75), bias: try attributes.float("bias", default: 1))
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = ["size": .int(Int64(size))]
        if alpha != 0.0001 { values["alpha"] = .float(alpha) }
        if beta != 0.75 { values["beta"] = .float(beta) }
        if bias != 1 { values["bias"] = .float(bias) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        guard x.rank >= 2 else { throw .invalid("input \(x.shape) has no channels") }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let (channels, area) = (x.shape[1], x.shape[2...].reduce(1, *))
        let values = x.float64Elements
        let y = try Tensor(outputTypes[0]) { y in
            for image in 0..<(values.isEmpty ? 0 : x.shape[0]) {
                for channel in 0..<channels {
                    let neighbours = max(0, channel - (size - 1) / 2)...min(channels - 1, channel + size / 2)
                    for pixel in 0..<area {
                        var energy = 0.0
                        for other in neighbours {
                            let value = values[(image * channels + other) * area + pixel]
                            energy += value * value
                        }
                        let position = (image * channels + channel) * area + pixel
                        let base = Double(bias) + Double(alpha) / Double(size) * energy
                        y[position] = values[position] / base.raised(to: Double(beta))
                    }
                }
            }
        }
        return [y]
    }
}
