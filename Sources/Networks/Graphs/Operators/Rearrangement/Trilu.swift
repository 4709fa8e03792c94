import Tensors

/// The upper or lower triangle of matrices; the other elements are zero.
///
/// y[…, i, j] = x[…, i, j] where j − i ≥ k (upper) or j − i ≤ k (lower), otherwise 0
///
/// Shapes: x […, M, N], k scalar (0) → x's.
/// Attributes: `upper` (1).
/// Reference: https://onnx.ai/onnx/operators/onnx__Trilu.html
package struct Trilu: Operator {
    package static let name = "Trilu"
    package static let inputCount = 1...2
    package var isUpper: Bool

    package init(isUpper: Bool = true) {
        self.isUpper = isUpper
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        isUpper = try attributes.bool("upper", default: true)
    }

    package var attributes: [String: AttributeValue] { isUpper ? [:] : ["upper": .int(0)] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.rank >= 2 else { throw .invalid("input \(x.shape) is no matrix") }
        if let k = inputs.optional(1), k.elementCount != 1 {
            throw .invalid("\"k\" has the shape \(k.shape); a scalar is expected")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let diagonal = try inputs.optional(1)?.scalar("k") ?? 0
        let (rows, columns) = (x.shape[x.shape.count - 2], x.shape[x.shape.count - 1])
        let size = x.elementType.byteCount
        let y = try Tensor(x.elementType, shape: x.shape) { target in
            try x.withContiguousBytes { target.copyMemory(from: $0) }
            guard let start = target.baseAddress, !target.isEmpty else { return }
            for row in 0..<target.count / (columns * size) {
                // The first column for which j − i ≥ k holds (upper), or j − i ≤ k does not (lower).
                let (sum, overflow) = (row % rows).addingReportingOverflow(diagonal)
                let edge = overflow ? columns : isUpper || sum == .max ? sum : sum + 1
                let split = min(max(edge, 0), columns)
                let zeros = isUpper ? 0..<split : split..<columns
                (start + (row * columns + zeros.lowerBound) * size).initializeMemory(
                    as: UInt8.self, repeating: 0, count: zeros.count * size)
            }
        }
        return [y]
    }
}
