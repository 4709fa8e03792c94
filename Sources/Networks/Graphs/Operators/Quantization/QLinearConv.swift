import Tensors

/// A convolution of quantized numbers with a quantized result.
///
/// y = round((conv(x − x_zero_point, w − w_zero_point) + b) · x_scale · w_scale / y_scale) + y_zero_point
///
/// Shapes: x [N, C, spatial…], x_scale, x_zero_point, w [M, C / group, kernel…], w_scale, w_zero_point, y_scale,
/// y_zero_point, b [M] (int32, optional) → [N, M, spatial…]; parameters are scalars, those of w also [M].
/// Attributes: those of ``Conv``.
/// Numerics: sums are exact; they are scaled in float32, halves rounded to the even integer, and clipped to the range
/// of y_zero_point's element type.
/// Reference: https://onnx.ai/onnx/operators/onnx__QLinearConv.html
package struct QLinearConv: Operator {
    package static let name = "QLinearConv"
    package static let inputCount = 8...9
    package var convolution: Conv

    package init(_ convolution: Conv = Conv()) {
        self.convolution = convolution
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        convolution = try Conv(&attributes)
    }

    package var attributes: [String: AttributeValue] { convolution.attributes }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, w, zeroPoint) = (try inputs.quantized(0), try inputs.quantized(3), try inputs.quantized(7))
        for index in [1, 4, 6] { _ = try inputs.floatingPoint(index) }
        for index in [2, 5] { _ = try inputs.quantized(index) }
        for (index, name) in [(1, "x_scale"), (2, "x_zero_point"), (6, "y_scale"), (7, "y_zero_point")] {
            try inputs.expectScalar(index, name)
        }
        var types: [TensorType?] = [TensorType(.float32, x.shape), TensorType(.float32, w.shape)]
        if let bias = inputs.optional(8) { types.append(TensorType(.float32, bias.shape)) }
        let y = try convolution.outputTypes(for: types)[0].shape
        for (index, name) in [(4, "w_scale"), (5, "w_zero_point")] {
            let type = try inputs.required(index)
            guard type.elementCount == 1 || type.shape == [w.shape[0]] else {
                throw .invalid("\(name) \(type.shape) does not fit weights \(w.shape)")
            }
        }
        return [TensorType(zeroPoint.elementType, y)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        convolution.cost(inputs: [inputs.optional(0), inputs.optional(3)], outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let shape = outputTypes[0].shape
        let x = try inputs.required(0)
        let sums = try convolution.sums(
            x, try inputs.required(2), try inputs.required(3), try inputs.required(5), shape: shape)
        // The channels are the first axis, as there is no batch.
        func perChannel(_ index: Int) throws -> Tensor {
            try inputs.required(index).alongFirstAxis(rank: shape.count - 1)
        }
        let bias = try inputs.optional(8).map { try $0.alongFirstAxis(rank: shape.count - 1) }
        let biased = try bias.map {
            try Add().evaluate([sums, try $0.converted(to: .float64)], outputTypes: [TensorType(.float64, shape)])[0]
        }
        let multiplier = try Tensor.multiplier(try perChannel(1), try perChannel(4), over: try perChannel(6))
        return [try (biased ?? sums).requantized(multiplier, try perChannel(7))]
    }
}
