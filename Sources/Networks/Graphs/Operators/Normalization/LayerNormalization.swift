import Tensors

/// Normalises all axes from `axis` on by their mean and variance.
///
/// y = scale · (x − mean) / √(variance + epsilon) + bias, mean and variance over the axes from `axis` on.
///
/// Shapes: x any; scale, bias (optional) broadcasting to x's → y of x's shape; mean, 1 / √(variance + epsilon), both
/// with the extent 1 from `axis` on, float32.
/// Attributes: `axis` (−1), `epsilon` (1e-5); `stash_type` (1) is not used.
/// Numerics: float64; the variance is that of the whole population.
/// Reference: https://onnx.ai/onnx/operators/onnx__LayerNormalization.html
package struct LayerNormalization: Operator {
    package static let name = "LayerNormalization"
    package static let inputCount = 2...3
    package static let outputCount = 1...3
    package var axis: Int
    package var epsilon: Float

    package init(axis: Int = -1, epsilon: Float = 1e-5) {
        self.axis = axis
        self.epsilon = epsilon
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("stash_type")
        self.init(
            axis: try attributes.int("axis", default: -1), epsilon: try attributes.float("epsilon", default: 1e-5))
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if axis != -1 { values["axis"] = .int(Int64(axis)) }
        if epsilon != 1e-5 { values["epsilon"] = .float(epsilon) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        let axis = try Axes.resolve(axis, rank: x.rank)
        try Broadcasting.check(try inputs.floatingPoint(1).shape, to: x.shape, "scale")
        if let bias = inputs.optional(2) { try Broadcasting.check(bias.shape, to: x.shape, "bias") }
        let statistics = TensorType(.float32, x.shape.enumerated().map { $0.offset < axis ? $0.element : 1 })
        return [TensorType(x.elementType, x.shape), statistics, statistics]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        let length = x.shape[axis...].reduce(1, *)
        let scale = try inputs.required(1).broadcast(to: x.shape).float64Elements
        let bias = inputs.optional(2)?.broadcast(to: x.shape).float64Elements
        var values = x.float64Elements
        let moments = (0..<x.shape[..<axis].reduce(1, *)).map {
            Moments(values[$0 * length..<($0 + 1) * length], epsilon: Double(epsilon))
        }
        for (row, moments) in moments.enumerated() {
            for index in row * length..<(row + 1) * length {
                let normal = (values[index] - moments.mean) * moments.inverseDeviation
                values[index] = normal * scale[index] + (bias?[index] ?? 0)
            }
        }
        let shape = x.shape.enumerated().map { $0.offset < axis ? $0.element : 1 }
        return [
            try Tensor(values, as: x.elementType, shape: x.shape),
            try Tensor(moments.map { Float($0.mean) }, shape: shape),
            try Tensor(moments.map { Float($0.inverseDeviation) }, shape: shape),
        ]
    }
}
