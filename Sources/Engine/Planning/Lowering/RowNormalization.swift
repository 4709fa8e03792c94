import Graphs
import Tensors

/// A LayerNormalization or RMSNormalization of float32 rows of adjacent elements, with a scale and bias that are part
/// of the network.
package struct RowNormalization: SpecializedRequest {
    package let length: Int
    package let epsilon: Float
    /// Whether the mean of a row is subtracted before the row is scaled.
    package let subtractsMean: Bool
    private let row: [Int]
    private let scale: Tensor
    private let bias: Tensor?

    package static func takes(_ operation: any Operator) -> Bool {
        operation is LayerNormalization || operation is RMSNormalization
    }

    package init(_ request: LoweringRequest) throws(LoweringRefusal) {
        let axis: Int
        switch request.operation {
        case let layer as LayerNormalization: (axis, epsilon, subtractsMean) = (layer.axis, layer.epsilon, true)
        case let squares as RMSNormalization: (axis, epsilon, subtractsMean) = (squares.axis, squares.epsilon, false)
        default: throw .otherOperator
        }
        if let refusal = request.refusalOfElements { throw LoweringRefusal(refusal) }
        guard request.outputs.count == 1 else { throw LoweringRefusal("mean and deviation are wanted") }
        let shape = request.outputs[0].shape
        guard let first = try? Axes.resolve(axis, rank: shape.count) else { throw LoweringRefusal("no such axis") }
        row = Array(shape[first...])
        let hasBias = request.inputs.optional(2) != nil
        guard let scale = request.constants[1], Self.isRow(scale, row),
            !hasBias || Self.isRow(request.constants[2], row)
        else {
            throw LoweringRefusal("scale or bias differ from row to row, or are computed at run time")
        }
        length = row.reduce(1, *)
        self.scale = scale
        bias = hasBias ? request.constants[2] : nil
    }

    private static func isRow(_ constant: Tensor?, _ row: [Int]) -> Bool {
        guard let constant else { return false }
        return constant.shape.dropLast(row.count).allSatisfy { $0 == 1 }
    }

    /// The factor of each element of a row.
    package func makeScale() throws -> Tensor { try repeated(scale) }

    /// The addend of each element of a row; nil where there is none.
    package func makeBias() throws -> Tensor? { try bias.map(repeated) }

    private func repeated(_ constant: Tensor) throws -> Tensor {
        try constant.reshaped(to: Array(constant.shape.suffix(row.count))).broadcast(to: row).contiguous()
            .reshaped(to: [length])
    }
}
