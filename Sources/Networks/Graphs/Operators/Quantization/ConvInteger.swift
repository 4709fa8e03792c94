import Tensors

/// A convolution of 8-bit integers.
///
/// y = conv(x − x_zero_point, w − w_zero_point), where conv is ``Conv``; the padding is x_zero_point.
///
/// Shapes: x [N, C, spatial…], w [M, C / group, kernel…], x_zero_point scalar, w_zero_point scalar or [M] (both
/// optional) → [N, M, spatial…] (int32).
/// Attributes: those of ``Conv``.
/// Reference: https://onnx.ai/onnx/operators/onnx__ConvInteger.html
package struct ConvInteger: Operator {
    package static let name = "ConvInteger"
    package static let inputCount = 2...4
    package var convolution: Conv

    package init(_ convolution: Conv = Conv()) {
        self.convolution = convolution
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        convolution = try Conv(&attributes)
    }

    package var attributes: [String: AttributeValue] { convolution.attributes }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, w) = (try inputs.quantized(0), try inputs.quantized(1))
        try inputs.expectScalar(2, "x_zero_point")
        if let zeroPoint = inputs.optional(3), zeroPoint.elementCount != 1, zeroPoint.shape != Array(w.shape.prefix(1))
        {
            throw .invalid("w_zero_point \(zeroPoint.shape) does not fit weights \(w.shape)")
        }
        let types = [TensorType(.float32, x.shape), TensorType(.float32, w.shape)]
        return [TensorType(.int32, try convolution.outputTypes(for: types)[0].shape)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        convolution.cost(inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let sums = try convolution.sums(
            try inputs.required(0), inputs.optional(2), try inputs.required(1), inputs.optional(3),
            shape: outputTypes[0].shape)
        return [try sums.converted(to: .int32)]
    }
}

extension Conv {
    /// The convolution of integers minus their zero points, in float64.
    func sums(
        _ x: Tensor, _ xZeroPoint: Tensor?, _ w: Tensor, _ wZeroPoint: Tensor?, shape: [Int]
    ) throws -> Tensor {
        let operands = [
            try x.centered(try xZeroPoint?.reshaped(to: [])),
            try w.centered(try wZeroPoint?.alongFirstAxis(rank: w.shape.count)),
        ]
        return try evaluate(operands, outputTypes: [TensorType(.float64, shape)])[0]
    }
}

extension Tensor {
    /// One number for each element of the first of `rank` axes, or a scalar, reshaped so that it broadcasts.
    func alongFirstAxis(rank: Int) throws -> Tensor {
        try reshaped(to: elementCount == 1 ? [] : shape + [Int](repeating: 1, count: rank - 1))
    }
}
