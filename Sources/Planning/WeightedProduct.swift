import Graphs
import Tensors

/// y = activation(alpha · x · W + bias) for every row x.
package struct WeightedProduct: Sendable {
    package var weights: Tensor
    /// Whether the weights are `[columns, depth]` already.
    package var isTransposed: Bool
    package var alpha: Float
    package var bias: Tensor?
    package var activation: Activation?

    package struct Refusal: Error {
        package let reason: String
    }

    package static func read(_ request: LoweringRequest) -> Result<WeightedProduct, Refusal> {
        func refuse(_ reason: String) -> Result<WeightedProduct, Refusal> { .failure(Refusal(reason: reason)) }
        guard request.operation is Gemm || request.operation is MatMul else { return refuse("not Gemm or MatMul") }
        if let refusal = request.refusalOfElements { return refuse(refusal) }
        guard let weights = request.constants[1] else { return refuse("the second factor is computed at run time") }
        guard request.inputs[0]?.rank == 2, weights.shape.count == 2 else { return refuse("not 2-D by 2-D") }
        guard weights.elementCount <= Int(Int32.max), request.outputs[0].elementCount <= Int(Int32.max) else {
            return refuse("extents exceed integers of 32 bits")
        }
        var product = WeightedProduct(weights: weights, isTransposed: false, alpha: 1)
        guard let gemm = request.operation as? Gemm else { return .success(product) }
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

    /// The weights as `[columns, depth]`, times alpha.
    package func pack(_ weights: Tensor) throws -> Tensor {
        let rows = try (isTransposed ? weights : weights.transposed([1, 0])).contiguous()
        guard alpha != 1 else { return rows }
        return try Tensor(rows.elements(as: Float.self).map { $0 * alpha }, shape: rows.shape)
    }
}
