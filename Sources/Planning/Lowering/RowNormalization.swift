import Graphs
import Tensors

/// LayerNormalization or RMSNormalization of float32 rows of adjacent elements, with a scale and bias that are part of the
/// network.
package struct RowNormalization: Sendable {
    package let length: Int
    package let epsilon: Float
    /// Whether rows are centred before they are scaled.
    package let subtractsMean: Bool
    private let row: [Int]
    private let scale: Tensor
    private let bias: Tensor?

    package struct Refusal: Error {
        package let reason: String
    }

    package static func read(_ request: LoweringRequest) -> Result<RowNormalization, Refusal> {
        func refuse(_ reason: String) -> Result<RowNormalization, Refusal> { .failure(Refusal(reason: reason)) }
        let (axis, epsilon, subtractsMean): (Int, Float, Bool)
        switch request.operation {
        case let layer as LayerNormalization: (axis, epsilon, subtractsMean) = (layer.axis, layer.epsilon, true)
        case let squares as RMSNormalization: (axis, epsilon, subtractsMean) = (squares.axis, squares.epsilon, false)
        default: return refuse("neither LayerNormalization nor RMSNormalization")
        }
        if let refusal = request.refusalOfElements { return refuse(refusal) }
        guard request.outputs.count == 1 else { return refuse("mean and deviation are wanted") }
        let shape = request.outputs[0].shape
        guard let first = try? Axes.resolve(axis, rank: shape.count) else { return refuse("no such axis") }
        let row = Array(shape[first...])
        let hasBias = request.inputs.optional(2) != nil
        guard let scale = request.constants[1], isRow(scale, row), !hasBias || isRow(request.constants[2], row) else {
            return refuse("scale or bias differ from row to row, or are computed at run time")
        }
        return .success(
            RowNormalization(
                length: row.reduce(1, *), epsilon: epsilon, subtractsMean: subtractsMean, row: row, scale: scale,
                bias: hasBias ? request.constants[2] : nil))
    }

    private static func isRow(_ constant: Tensor?, _ row: [Int]) -> Bool {
        guard let constant else { return false }
        return constant.shape.dropLast(row.count).allSatisfy { $0 == 1 }
    }

    /// The factor of each element of a row.
    package func makeScale() throws -> Tensor { try repeated(scale) }

    /// The addend of each element of a row, when there is one.
    package func makeBias() throws -> Tensor? { try bias.map(repeated) }

    private func repeated(_ constant: Tensor) throws -> Tensor {
        try constant.reshaped(to: Array(constant.shape.suffix(row.count))).broadcast(to: row).contiguous()
            .reshaped(to: [length])
    }
}
