import Tensors

/// Each channel of each image normalised by its own mean and variance.
///
/// y[n, c, …] = scale[c] · (x[n, c, …] − mean) / √(variance + epsilon) + bias[c], mean and variance over x[n, c, …].
///
/// Shapes: x [N, C, spatial…], scale [C], bias [C] → x's.
/// Attributes: `epsilon` (1e-5).
/// Numerics: float64; the variance is that of the whole population.
/// Reference: https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html
package struct InstanceNormalization: Operator {
    package static let name = "InstanceNormalization"
    package static let inputCount = 3...3
    package var epsilon: Float

    package init(epsilon: Float = 1e-5) {
        self.epsilon = epsilon
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        epsilon = try attributes.float("epsilon", default: 1e-5)
    }

    package var attributes: [String: AttributeValue] {
        epsilon == 1e-5 ? [:] : ["epsilon": .float(epsilon)]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        guard x.rank >= 3 else { throw .invalid("input \(x.shape) has no spatial axis") }
        for (index, name) in [(1, "scale"), (2, "bias")] {
            let parameter = try inputs.floatingPoint(index)
            guard parameter.shape == [x.shape[1]] else {
                throw .invalid("\(name) \(parameter.shape) does not fit the channels of input \(x.shape)")
            }
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let scale = try inputs.required(1).float64Elements
        let bias = try inputs.required(2).float64Elements
        let area = x.shape[2...].reduce(1, *)
        var values = x.float64Elements
        guard !values.isEmpty else { return [x] }
        for row in 0..<values.count / area {
            let range = row * area..<(row + 1) * area
            let moments = Moments(values[range], epsilon: Double(epsilon))
            for index in range {
                values[index] =
                    (values[index] - moments.mean) * moments.inverseDeviation * scale[row % scale.count]
                    + bias[row % scale.count]
            }
        }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}
