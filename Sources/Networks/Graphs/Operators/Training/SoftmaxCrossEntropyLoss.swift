import Tensors

/// The cross entropy of labels, given scores: the log likelihood loss of the logarithms of their softmax.
///
/// Shapes, formula: those of ``LogLikelihoodLoss``; the second output is the logarithms, in x's shape.
/// Attributes: `reduction` (`mean`; `none`, `sum`), `ignore_index` (none).
/// Reference: https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
package struct SoftmaxCrossEntropyLoss: Operator {
    package static let name = "SoftmaxCrossEntropyLoss"
    package static let inputCount = 2...3
    package static let outputCount = 1...2
    package var loss: LogLikelihoodLoss

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        loss = try LogLikelihoodLoss(&attributes)
    }

    package var attributes: [String: AttributeValue] { loss.attributes }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        return [try loss.outputType(for: inputs), TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let logarithms = logarithmsOfSoftmax(x)
        return [
            try loss.evaluate(
                logarithms, shape: x.shape, labels: try inputs.required(1), weights: inputs.optional(2),
                outputTypes[0]),
            try Tensor(logarithms, as: x.elementType, shape: x.shape),
        ]
    }

    private func logarithmsOfSoftmax(_ x: Tensor) -> [Double] {
        var values = x.float64Elements
        let (classes, inner) = (x.shape[1], x.shape[2...].reduce(1, *))
        for row in 0..<x.shape[0] * inner {
            let start = row / max(inner, 1) * classes * inner + row % max(inner, 1)
            let positions = (0..<classes).map { start + $0 * inner }
            let largest = positions.map { values[$0] }.max() ?? 0
            let sum = positions.reduce(0) { $0 + (values[$1] - largest).exponential }
            for position in positions { values[position] -= largest + sum.logarithm }
        }
        return values
    }
}
