import Graphs
import Tensors

/// y = activation(alpha · x · W + bias + addend) for every row x.
package struct WeightedProduct: Sendable {
    package var weights: Tensor
    /// Whether the weights are `[columns, depth]` already.
    package var isTransposed: Bool
    package var alpha: Float
    package var bias: Tensor?
    package var activation: Activation?
    /// Rows of x, through all axes but the last.
    package var rowCount: Int
    /// Whether another value of the result's shape is added, the node's input at ``MatMul/addendPosition``.
    package var hasAddend = false

    /// The elements of a row of x and of y.
    package var depth: Int { weights.shape[isTransposed ? 1 : 0] }
    package var columns: Int { weights.shape[isTransposed ? 0 : 1] }

    package struct Refusal: Error {
        package let reason: String
    }

    package static func read(_ request: LoweringRequest) -> Result<WeightedProduct, Refusal> {
        func refuse(_ reason: String) -> Result<WeightedProduct, Refusal> { .failure(Refusal(reason: reason)) }
        guard request.operation is Gemm || request.operation is MatMul else { return refuse("not Gemm or MatMul") }
        if let refusal = request.refusalOfElements { return refuse(refusal) }
        guard let weights = request.constants[1] else { return refuse("the second factor is computed at run time") }
        guard let rank = request.inputs[0]?.rank, rank >= 2, weights.shape.count == 2 else {
            return refuse("not rows by a matrix")
        }
        guard weights.elementCount <= Int(Int32.max), request.outputs[0].elementCount <= Int(Int32.max) else {
            return refuse("extents exceed integers of 32 bits")
        }
        let rowCount = request.outputs[0].elementCount / weights.shape[request.isTransposedGemm ? 0 : 1]
        var product = WeightedProduct(weights: weights, isTransposed: false, alpha: 1, rowCount: rowCount)
        guard let gemm = request.operation as? Gemm else {
            product.activation = (request.operation as? MatMul)?.activation
            product.hasAddend = request.inputs.optional(MatMul.addendPosition) != nil
            guard request.inputs.optional(MatMul.biasPosition) != nil else { return .success(product) }
            guard let bias = request.constants[MatMul.biasPosition] else {
                return refuse("the bias is computed at run time")
            }
            product.bias = bias
            return .success(product)
        }
        guard !gemm.transA else { return refuse("the first factor is transposed") }
        product.isTransposed = gemm.transB
        product.alpha = gemm.alpha
        product.activation = gemm.activation
        guard let c = request.inputs.count > 2 ? request.inputs[2] : nil else { return .success(product) }
        let columns = request.outputs[0].shape[1]
        guard let addend = request.constants[2] else { return refuse("the addend is computed at run time") }
        guard addend.elementCount == 1 || (c.shape.last == columns && addend.elementCount == columns) else {
            return refuse("the addend \(c.shape) differs from row to row")
        }
        let values = addend.elements(as: Float.self).map { $0 * gemm.beta }
        let row = values.count == columns ? values : Array(repeating: values[0], count: columns)
        do { product.bias = try Tensor(row, shape: [columns]) } catch { return refuse("\(error)") }
        return .success(product)
    }

    /// The addend's place among a step's operands.
    package func addend(_ operands: StepOperands) throws -> Operand? {
        hasAddend ? try operands.input(MatMul.addendPosition) : nil
    }

    /// The layouts of the inputs: rows, and what is added to them, are dense.
    package var inputLayouts: [Layout?] { hasAddend ? [.rowMajor, nil, nil, .rowMajor] : [.rowMajor] }

    /// The weights as `[columns, depth]`, times alpha.
    package func pack(_ weights: Tensor) throws -> Tensor {
        let rows = try (isTransposed ? weights : weights.transposed([1, 0])).contiguous()
        guard alpha != 1 else { return rows }
        return try Tensor(rows.elements(as: Float.self).map { $0 * alpha }, shape: rows.shape)
    }
}

extension LoweringRequest {
    fileprivate var isTransposedGemm: Bool { (operation as? Gemm)?.transB ?? false }
}
