import Tensors

/// A convolution of quantized numbers, whose sums are requantized.
///
/// y = requantization(conv(x − x_zero_point, w − w_zero_point) + b)
///
/// Shapes: x [N, C, spatial…] (int8, uint8 or int16), w [M, C / group, kernel…] (int8 or uint8), b [M] (int32 or int64,
/// optional) → [N, M, spatial…].
/// Attributes: `x_zero_point`, `w_zero_point`, those of ``Conv`` and of ``Requantization``.
/// Numerics: sums are exact.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerConv: Operator {
    package static let name = "IntegerConv"
    package static let domain = "apus"
    package static let inputCount = 2...3
    package var convolution: Conv
    package var inputZeroPoint: Int32
    package var weightZeroPoint: Int32
    package var requantization: Requantization

    package init(
        _ convolution: Conv, inputZeroPoint: Int32, weightZeroPoint: Int32, requantization: Requantization
    ) {
        self.convolution = convolution
        self.inputZeroPoint = inputZeroPoint
        self.weightZeroPoint = weightZeroPoint
        self.requantization = requantization
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        var values = convolution.attributes.merging(requantization.attributes) { first, _ in first }
        values["x_zero_point"] = .int(Int64(inputZeroPoint))
        values["w_zero_point"] = .int(Int64(weightZeroPoint))
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, w) = (try inputs.quantized(0), try inputs.quantized(1))
        guard x.elementType.quantizedRange != nil, w.elementType.byteCount == 1 else {
            throw .invalid("inputs are \(x.elementType) and \(w.elementType); quantized numbers are expected")
        }
        var types: [TensorType?] = [TensorType(.float32, x.shape), TensorType(.float32, w.shape)]
        if let bias = inputs.optional(2) {
            guard bias.elementType == .int32 || bias.elementType == .int64 else {
                throw .invalid("bias is \(bias.elementType); int32 or int64 is expected")
            }
            types.append(TensorType(.float32, bias.shape))
        }
        let y = try convolution.outputTypes(for: types)[0].shape
        guard requantization.count == 1 || requantization.count == w.shape[0] else {
            throw .invalid("\(requantization.count) factors do not fit \(w.shape[0]) output channels")
        }
        return [TensorType(requantization.elementType, y)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        convolution.cost(inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let shape = outputTypes[0].shape
        let sums = try convolution.sums(
            try inputs.required(0), try .constant([inputZeroPoint], shape: []), try inputs.required(1),
            try .constant([weightZeroPoint], shape: []), shape: shape
        ).elements(as: Double.self)
        let bias = inputs.optional(2)?.elements(as: Int64.self)
        let area = shape[2...].reduce(1, *)
        let values = sums.indices.map { index in
            let channel = index / area % shape[1]
            return Int64(requantization(Int64(sums[index]) &+ (bias?[channel] ?? 0), channel: channel))
        }
        return [try Tensor(values, as: outputTypes[0].elementType, shape: shape)]
    }
}
