import Tensors

/// Groups of channels of each image normalised by their mean and variance.
///
/// y[n, c, …] = scale[c] · (x[n, c, …] − mean) / √(variance + epsilon) + bias[c], mean and variance over the channels
/// of c's group.
///
/// Shapes: x [N, C, …], scale [C], bias [C] ([num_groups] where `scalesGroups`) → x's.
/// Attributes: `num_groups` (required), `epsilon` (1e-5); `stash_type` is not used.
/// Numerics: float64; the variance is that of the whole population.
/// Reference: https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
package struct GroupNormalization: Operator {
    package static let name = "GroupNormalization"
    package static let inputCount = 3...3
    package var groupCount: Int
    package var epsilon: Float
    /// Whether there is a scale and a bias for each group instead of each channel.
    package var scalesGroups: Bool

    package init(groupCount: Int, epsilon: Float = 1e-5) {
        self.groupCount = groupCount
        self.epsilon = epsilon
        scalesGroups = false
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("stash_type")
        groupCount = try attributes.int("num_groups", default: 0)
        epsilon = try attributes.float("epsilon", default: 1e-5)
        scalesGroups = false
        guard groupCount >= 1 else {
            throw .invalid("attribute \"num_groups\" is \(groupCount); at least 1 is expected")
        }
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = ["num_groups": .int(Int64(groupCount))]
        if epsilon != 1e-5 { values["epsilon"] = .float(epsilon) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        guard x.rank >= 2, x.shape[1] % groupCount == 0 else {
            throw .invalid("the channels of input \(x.shape) do not divide into \(groupCount) groups")
        }
        let expected = scalesGroups ? groupCount : x.shape[1]
        for (index, name) in [(1, "scale"), (2, "bias")] {
            let parameter = try inputs.floatingPoint(index)
            guard parameter.shape == [expected] else {
                throw .invalid("\(name) \(parameter.shape) does not fit input \(x.shape); [\(expected)] is expected")
            }
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let scale = try inputs.required(1).float64Elements
        let bias = try inputs.required(2).float64Elements
        var values = x.float64Elements
        guard !values.isEmpty else { return [x] }
        let channels = x.shape[1]
        let (size, area) = (channels / groupCount, x.shape[2...].elementCount)
        for group in 0..<x.shape[0] * groupCount {
            let range = group * size * area..<(group + 1) * size * area
            let moments = Moments(values[range], epsilon: Double(epsilon))
            for index in range {
                let channel = index / area % channels
                let parameter = scalesGroups ? channel / size : channel
                values[index] =
                    (values[index] - moments.mean) * moments.inverseDeviation * scale[parameter] + bias[parameter]
            }
        }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}
