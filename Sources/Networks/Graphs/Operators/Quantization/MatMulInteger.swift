import Tensors

/// The product of matrices of 8-bit integers.
///
/// y = (a − a_zero_point) · (b − b_zero_point), where · is ``MatMul``
///
/// Shapes: a […, M, K], b […, K, N]; a_zero_point scalar, [M] or […, M, 1]; b_zero_point scalar, [N] or […, 1, N] (both
/// optional) → […, M, N] (int32).
/// Reference: https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
package struct MatMulInteger: AttributeFree {
    package static let name = "MatMulInteger"
    package static let inputCount = 2...4

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (a, b) = (try inputs.quantized(0), try inputs.quantized(1))
        try MatrixParameters.check(inputs.optional(2), for: a.shape, ofRows: true, "a_zero_point")
        try MatrixParameters.check(inputs.optional(3), for: b.shape, ofRows: false, "b_zero_point")
        let types = [TensorType(.int32, a.shape), TensorType(.int32, b.shape)]
        return try MatMul().outputTypes(for: types)
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        MatMul().cost(inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let rows = try inputs.optional(2).map { try MatrixParameters.aligned($0, ofRows: true) }
        let columns = try inputs.optional(3).map { try MatrixParameters.aligned($0, ofRows: false) }
        let operands = [
            try inputs.required(0).centered(rows), try inputs.required(1).centered(columns),
        ]
        let sums = TensorType(.float64, outputTypes[0].shape)
        return try MatMul().evaluate(operands, outputTypes: [sums]).map { try $0.converted(to: .int32) }
    }
}
