import Tensors

/// Normalises some axes together by their mean and variance.
///
/// y = (x − mean) / (√variance + 1e-9), both over `axes`.
///
/// Shapes: any → the same.
/// Attributes: `axes` (0, 2, 3).
/// Numerics: float64; the variance is that of the whole population.
/// Reference: https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html
package struct MeanVarianceNormalization: Operator {
    package static let name = "MeanVarianceNormalization"
    package static let inputCount = 1...1
    package var axes: [Int]

    package init(axes: [Int] = [0, 2, 3]) {
        self.axes = axes
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axes = try attributes.ints("axes") ?? [0, 2, 3]
    }

    package var attributes: [String: AttributeValue] {
        axes == [0, 2, 3] ? [:] : ["axes": .ints(axes.map(Int64.init))]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        _ = try Axes.resolve(axes, rank: x.rank)
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axes = try Axes.resolve(axes, rank: x.shape.count)
        let order = x.shape.indices.filter { !axes.contains($0) } + axes
        let arranged = try x.transposed(order)
        let length = axes.map { x.shape[$0] }.elementCount
        var values = arranged.float64Elements
        for row in 0..<(values.isEmpty ? 0 : values.count / length) {
            let range = row * length..<(row + 1) * length
            let moments = Moments(values[range], epsilon: 0)
            let divisor = 1 / moments.inverseDeviation + 1e-9
            for index in range { values[index] = (values[index] - moments.mean) / divisor }
        }
        let y = try Tensor(values, as: x.elementType, shape: arranged.shape)
        return [try y.transposed(order.indices.sorted { order[$0] < order[$1] })]
    }
}
