import Tensors

/// Values multiplied by a gate with the Swish function.
///
/// y = a / (1 + e^(−alpha · a)) · b
///
/// Shapes: a, b the same → the same.
/// Attributes: `alpha` (1).
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__SwiGLU.html
package struct SwiGLU: Operator {
    package static let name = "SwiGLU"
    package static let inputCount = 2...2
    package var alpha: Float

    package init(alpha: Float = 1) {
        self.alpha = alpha
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alpha = try attributes.float("alpha", default: 1)
    }

    package var attributes: [String: AttributeValue] { alpha == 1 ? [:] : ["alpha": .float(alpha)] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (gate, values) = (try inputs.floatingPoint(0), try inputs.floatingPoint(1))
        try inputs.expectSameElementType(0..<2)
        guard gate.shape == values.shape else {
            throw .invalid("the shapes \(gate.shape) and \(values.shape) must be equal")
        }
        return [TensorType(gate.elementType, gate.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let swish = Swish(alpha: alpha)
        var result = try inputs.required(0).float64Elements
        for (index, value) in try inputs.required(1).float64Elements.enumerated() {
            result[index] = swish.apply(result[index]) * value
        }
        return [try Tensor(result, as: outputTypes[0].elementType, shape: outputTypes[0].shape)]
    }
}
