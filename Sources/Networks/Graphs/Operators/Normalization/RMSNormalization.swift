import Tensors

/// Scales all axes from `axis` on by their root mean square.
///
/// y = scale · x / √(mean x² + epsilon), the mean over the axes from `axis` on.
///
/// Shapes: x any, scale broadcasting to x's → x's, with scale's element type.
/// Attributes: `axis` (−1), `epsilon` (1e-5); `stash_type` is not used.
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
package struct RMSNormalization: Operator {
    package static let name = "RMSNormalization"
    package static let inputCount = 2...2
    package var axis: Int
    package var epsilon: Float

    package init(axis: Int = -1, epsilon: Float = 1e-5) {
        self.axis = axis
        self.epsilon = epsilon
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("stash_type")
        axis = try attributes.int("axis", default: -1)
        epsilon = try attributes.float("epsilon", default: 1e-5)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis == -1 ? [:] : ["axis": .int(Int64(axis))]
        if epsilon != 1e-5 { values["epsilon"] = .float(epsilon) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, scale) = (try inputs.floatingPoint(0), try inputs.floatingPoint(1))
        _ = try Axes.resolve(axis, rank: x.rank)
        try Broadcasting.check(scale.shape, to: x.shape, "scale")
        return [TensorType(scale.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        let length = x.shape[axis...].elementCount
        let scale = try inputs.required(1).broadcast(to: x.shape).float64Elements
        var values = x.float64Elements
        for row in 0..<(values.isEmpty ? 0 : values.count / length) {
            let range = row * length..<(row + 1) * length
            let square = values[range].reduce(0) { $0 + $1 * $1 } / Double(length)
            let factor = 1 / (square + Double(epsilon)).squareRoot()
            for index in range { values[index] *= factor * scale[index] }
        }
        return [try Tensor(values, as: outputTypes[0].elementType, shape: x.shape)]
    }
}
