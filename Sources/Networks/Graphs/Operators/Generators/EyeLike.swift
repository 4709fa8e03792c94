import Tensors

/// A matrix with ones on a diagonal.
///
/// y[i, j] = 1 where j − i = k, otherwise 0
///
/// Shapes: x [M, N] → [M, N].
/// Attributes: `dtype` (an element type; x's), `k` (0).
/// Reference: https://onnx.ai/onnx/operators/onnx__EyeLike.html
package struct EyeLike: Operator {
    package static let name = "EyeLike"
    package static let inputCount = 1...1
    package var elementType: ElementType?
    package var diagonal: Int

    package init(elementType: ElementType? = nil, diagonal: Int = 0) {
        self.elementType = elementType
        self.diagonal = diagonal
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        elementType = try attributes.elementType("dtype")
        diagonal = try attributes.int("k", default: 0)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = diagonal == 0 ? [:] : ["k": .int(Int64(diagonal))]
        if let elementType { values["dtype"] = .elementType(elementType) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.rank == 2 else { throw .invalid("input \(x.shape) is no matrix") }
        return [TensorType(elementType ?? x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let y = try Tensor(type) { y in
            for row in 0..<type.shape[0] {
                let (column, overflow) = row.addingReportingOverflow(diagonal)
                guard !overflow, column >= 0, column < type.shape[1] else { continue }
                y[row * type.shape[1] + column] = 1
            }
        }
        return [y]
    }
}
