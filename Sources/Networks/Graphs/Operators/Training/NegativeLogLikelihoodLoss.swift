import Tensors

/// The negative log likelihood of labels, given the logarithms of probabilities.
///
/// Shapes, formula: those of ``LogLikelihoodLoss``.
/// Attributes: `reduction` (`mean`; `none`, `sum`), `ignore_index` (none).
/// Reference: https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html
package struct NegativeLogLikelihoodLoss: Operator {
    package static let name = "NegativeLogLikelihoodLoss"
    package static let inputCount = 2...3
    package var loss: LogLikelihoodLoss

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        loss = try LogLikelihoodLoss(&attributes)
    }

    package var attributes: [String: AttributeValue] { loss.attributes }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [try loss.outputType(for: inputs)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        return [
            try loss.evaluate(
                x.float64Elements, shape: x.shape, labels: try inputs.required(1), weights: inputs.optional(2),
                outputTypes[0])
        ]
    }
}
