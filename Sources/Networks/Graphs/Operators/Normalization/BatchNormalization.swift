import Tensors

/// Normalises each channel by statistics from training.
///
/// y[n, c, …] = scale[c] · (x[n, c, …] − mean[c]) / √(variance[c] + epsilon) + bias[c]
///
/// Shapes: x [N, C, …], scale [C], bias [C], mean [C], variance [C] → x's.
/// Attributes: `epsilon` (1e-5); `momentum` is not used; `training_mode` 1 and `spatial` 0 are not supported.
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
package struct BatchNormalization: ActivationFusing {
    package static let name = "BatchNormalization"
    package static let inputCount = 5...5
    package static let outputCount = 1...5
    package var epsilon: Float
    package var activation: Activation?

    package init(epsilon: Float = 1e-5, activation: Activation? = nil) {
        self.epsilon = epsilon
        self.activation = activation
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("momentum")
        epsilon = try attributes.float("epsilon", default: 1e-5)
        guard try !attributes.bool("training_mode", default: false) else { throw .unsupported("\"training_mode\" 1") }
    }

    package var attributes: [String: AttributeValue] {
        epsilon == 1e-5 ? [:] : ["epsilon": .float(epsilon)]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        let channels = x.rank > 1 ? x.shape[1] : 1
        guard x.rank >= 1 else { throw .invalid("input \(x.shape) has no axis") }
        for (index, name) in [(1, "scale"), (2, "bias"), (3, "mean"), (4, "variance")] {
            let parameter = try inputs.floatingPoint(index)
            guard parameter.shape == [channels] else {
                throw .invalid("\(name) \(parameter.shape) does not fit the \(channels) channels of input \(x.shape)")
            }
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let parameters = try (1...4).map { try inputs.required($0).float64Elements }
        let area = x.shape.dropFirst(2).reduce(1, *)
        let channels = parameters[0].count
        var values = x.float64Elements
        guard !values.isEmpty else { return [x] }
        for row in 0..<values.count / area {
            let channel = row % channels
            let factor = parameters[0][channel] / (parameters[3][channel] + Double(epsilon)).squareRoot()
            let offset = parameters[1][channel] - parameters[2][channel] * factor
            for index in row * area..<(row + 1) * area {
                let value = values[index] * factor + offset
                values[index] = activation?(value) ?? value
            }
        }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}
