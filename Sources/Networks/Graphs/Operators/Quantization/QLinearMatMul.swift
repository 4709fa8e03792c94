import Tensors

/// The product of quantized matrices with a quantized result.
///
/// y = round((a − a_zero_point) · (b − b_zero_point) · a_scale · b_scale / y_scale) + y_zero_point
///
/// Shapes: a […, M, K], a_scale, a_zero_point, b […, K, N], b_scale, b_zero_point, y_scale, y_zero_point → […, M, N];
/// parameters are scalars, [M] or […, M, 1] for a and y, [N] or […, 1, N] for b.
/// Numerics: sums are exact; they are scaled in float32, halves rounded to the even integer, and clipped to the range
/// of y_zero_point's element type.
/// Reference: https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
package struct QLinearMatMul: AttributeFree {
    package static let name = "QLinearMatMul"
    package static let inputCount = 8...8

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (a, b, zeroPoint) = (try inputs.quantized(0), try inputs.quantized(3), try inputs.quantized(7))
        let types = [TensorType(.int32, a.shape), TensorType(.int32, b.shape)]
        let y = try MatMul().outputTypes(for: types)[0].shape
        for index in [1, 4, 6] { _ = try inputs.floatingPoint(index) }
        for index in [2, 5] { _ = try inputs.quantized(index) }
        try MatrixParameters.check(inputs[1], for: y, ofRows: true, "a_scale")
        try MatrixParameters.check(inputs[2], for: a.shape, ofRows: true, "a_zero_point")
        try MatrixParameters.check(inputs[4], for: y, ofRows: false, "b_scale")
        try MatrixParameters.check(inputs[5], for: b.shape, ofRows: false, "b_zero_point")
        try MatrixParameters.check(inputs[6], for: y, ofRows: true, "y_scale")
        try MatrixParameters.check(inputs[7], for: y, ofRows: true, "y_zero_point")
        return [TensorType(zeroPoint.elementType, y)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        MatMul().cost(inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        func parameters(_ index: Int, ofRows: Bool) throws -> Tensor {
            try MatrixParameters.aligned(try inputs.required(index), ofRows: ofRows)
        }
        let a = try inputs.required(0).centered(try parameters(2, ofRows: true))
        let b = try inputs.required(3).centered(try parameters(5, ofRows: false))
        let sums = try MatMul().evaluate([a, b], outputTypes: [TensorType(.float64, outputTypes[0].shape)])[0]
        let multiplier = try Tensor.multiplier(
            try parameters(1, ofRows: true), try parameters(4, ofRows: false), over: try parameters(6, ofRows: true))
        return [try sums.requantized(multiplier, try parameters(7, ofRows: true))]
    }
}
