import Tensors

/// The product of quantized matrices, neither of which needs to be constant.
///
/// y = requantization((a − a_zero_point) · (b − b_zero_point))
///
/// Shapes: those of ``MatMul``.
/// Attributes: `a_zero_point`, `b_zero_point` and those of ``Requantization``.
/// Numerics: sums are exact.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerMatMul: Operator {
    package static let name = "IntegerMatMul"
    package static let domain = "apus"
    package static let inputCount = 2...2
    package var aZeroPoint: Int32
    package var bZeroPoint: Int32
    package var requantization: Requantization

    package init(aZeroPoint: Int32, bZeroPoint: Int32, requantization: Requantization) {
        self.aZeroPoint = aZeroPoint
        self.bZeroPoint = bZeroPoint
        self.requantization = requantization
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        var values = requantization.attributes
        values["a_zero_point"] = .int(Int64(aZeroPoint))
        values["b_zero_point"] = .int(Int64(bZeroPoint))
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let types = [try inputs.quantized(0), try inputs.quantized(1)].map { TensorType(.int32, $0.shape) }
        guard requantization.count == 1 else { throw .invalid("there are \(requantization.count) factors") }
        return [TensorType(requantization.elementType, try MatMul().outputTypes(for: types)[0].shape)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        MatMul().cost(inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let a = try inputs.required(0).centered(try .constant([aZeroPoint], shape: []))
        let b = try inputs.required(1).centered(try .constant([bZeroPoint], shape: []))
        let shape = outputTypes[0].shape
        let sums = try MatMul().evaluate([a, b], outputTypes: [TensorType(.float64, shape)])[0]
        let values = sums.elements(as: Double.self).map { Int64(requantization(Int64($0), channel: 0)) }
        return [try Tensor(values, as: requantization.elementType, shape: shape)]
    }
}
