import Graphs
import Tensors

/// y = activation(alpha · x · W + bias + addend) for every row x.
package struct WeightedProduct: SpecializedRequest {
    package let weights: Tensor
    /// Whether the weights are stored as `[columns, depth]`.
    package let isTransposed: Bool
    package let alpha: Float
    package let bias: Tensor?
    package let activation: Activation?
    /// The number of rows of x: the product of all extents but the last.
    package let rowCount: Int
    /// Whether another value of the result's shape is added. It is the node's input at ``MatMul/addendPosition``.
    package let hasAddend: Bool

    /// The number of elements in a row of x: the depth of the product.
    package var depth: Int { weights.shape[isTransposed ? 1 : 0] }
    package var columns: Int { weights.shape[isTransposed ? 0 : 1] }

    package static func takes(_ operation: any Operator) -> Bool { operation is Gemm || operation is MatMul }

    package init(_ request: LoweringRequest) throws(LoweringRefusal) {
        if let refusal = request.refusalOfElements { throw LoweringRefusal(refusal) }
        guard let weights = request.constants[1] else {
            throw LoweringRefusal("the second factor is computed at run time")
        }
        guard let rank = request.inputs[0]?.rank, rank >= 2, weights.shape.count == 2 else {
            throw LoweringRefusal("not rows by a matrix")
        }
        guard weights.elementCount <= Int(Int32.max), request.outputs[0].elementCount <= Int(Int32.max) else {
            throw LoweringRefusal("extents exceed integers of 32 bits")
        }
        self.weights = weights
        let gemm = request.operation as? Gemm
        isTransposed = gemm?.transB ?? false
        alpha = gemm?.alpha ?? 1
        rowCount = request.outputs[0].elementCount / weights.shape[isTransposed ? 0 : 1]
        if let gemm {
            guard !gemm.transA else { throw LoweringRefusal("the first factor is transposed") }
            activation = gemm.activation
            hasAddend = false
            bias = try Self.bias(gemm, request)
        } else {
            activation = (request.operation as? MatMul)?.activation
            hasAddend = request.inputs.optional(MatMul.addendPosition) != nil
            let hasBias = request.inputs.optional(MatMul.biasPosition) != nil
            bias = hasBias ? request.constants[MatMul.biasPosition] : nil
            if hasBias, bias == nil { throw LoweringRefusal("the bias is computed at run time") }
        }
    }

    /// beta · C as a row; nil where there is no C.
    private static func bias(_ gemm: Gemm, _ request: LoweringRequest) throws(LoweringRefusal) -> Tensor? {
        guard let c = request.inputs.count > 2 ? request.inputs[2] : nil else { return nil }
        let columns = request.outputs[0].shape[1]
        guard let addend = request.constants[2] else { throw LoweringRefusal("the addend is computed at run time") }
        guard addend.elementCount == 1 || (c.shape.last == columns && addend.elementCount == columns) else {
            throw LoweringRefusal("the addend \(c.shape) differs from row to row")
        }
        let values = addend.elements(as: Float.self).map { $0 * gemm.beta }
        let row = values.count == columns ? values : Array(repeating: values[0], count: columns)
        do { return try Tensor(row, shape: [columns]) } catch { throw LoweringRefusal("\(error)") }
    }

    /// The addend among a step's operands; nil where there is none.
    package func addend(_ operands: StepOperands) throws -> Operand? {
        hasAddend ? try operands.input(MatMul.addendPosition) : nil
    }

    /// The layouts of the inputs: the rows of x, and the addend, are dense.
    package var inputLayouts: [Layout?] { hasAddend ? [.rowMajor, nil, nil, .rowMajor] : [.rowMajor] }

    /// The weights as `[depth, columns]`, times alpha. Without alpha it is a view of the weights.
    package func matrix(_ weights: Tensor) throws -> Tensor {
        let matrix = try isTransposed ? weights.transposed([1, 0]) : weights
        guard alpha != 1 else { return matrix }
        return try Tensor(matrix.elements(as: Float.self).map { $0 * alpha }, shape: matrix.shape)
    }
}
