import CPUKernels
import Graphs
import Planning
import Tensors

/// Gemm and MatMul with weights that are part of the network, one row of the input at a time, since a row is an image.
struct VectorProductLowering: Lowering {
    let name = "gemv-rows"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let product: Product
        switch Product.read(request) {
        case .failure(let refusal): return .decline(refusal.reason)
        case .success(let value): product = value
        }
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: 4_000, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false
            ) { operands in
                let weights = try operands.packedWeights.tensor(
                    product.weights, packing: "gemv/\(product.isTransposed)/\(product.alpha)"
                ) { try product.pack($0) }
                return VectorProductStep(
                    input: try operands.input(0), output: operands.outputs[0], weights: weights, bias: product.bias,
                    activation: apus_activation(product.activation))
            })
    }

    /// y = activation(alpha · x · W + bias) for every row x.
    private struct Product {
        var weights: Tensor
        /// Whether the weights are `[columns, depth]` already.
        var isTransposed: Bool
        var alpha: Float
        var bias: Tensor?
        var activation: Activation?

        struct Refusal: Error {
            let reason: String
        }

        static func read(_ request: LoweringRequest) -> Result<Product, Refusal> {
            func refuse(_ reason: String) -> Result<Product, Refusal> { .failure(Refusal(reason: reason)) }
            guard request.operation is Gemm || request.operation is MatMul else { return refuse("not Gemm or MatMul") }
            if let refusal = request.refusalOfElements { return refuse(refusal) }
            guard let weights = request.constants[1] else { return refuse("the second factor is computed at run time") }
            guard request.inputs[0]?.rank == 2, weights.shape.count == 2 else { return refuse("not 2-D by 2-D") }
            guard OpenBLAS.accepts(weights.elementCount, request.outputs[0].elementCount) else {
                return refuse("extents exceed OpenBLAS's integers")
            }
            var product = Product(weights: weights, isTransposed: false, alpha: 1)
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
        func pack(_ weights: Tensor) throws -> Tensor {
            let rows = try (isTransposed ? weights : weights.transposed([1, 0])).contiguous()
            guard alpha != 1 else { return rows }
            return try Tensor(rows.elements(as: Float.self).map { $0 * alpha }, shape: rows.shape)
        }
    }
}

private struct VectorProductStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>?
        let columns: Int
        let depth: Int
        let blockCount: Int
        let activation: apus_activation
    }

    let input: Operand
    let output: Operand
    let weights: Tensor
    let bias: Tensor?
    let activation: apus_activation

    /// Outputs that one piece of work computes.
    private static let block = 64

    func run(_ context: StepContext) {
        let columns = weights.shape[0]
        let blockCount = (columns + Self.block - 1) / Self.block
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), weights: weights.floats,
            bias: bias?.floats, columns: columns, depth: weights.shape[1], blockCount: blockCount,
            activation: activation)
        context.workers.run(output.shape[0] * blockCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (row, block) = index.quotientAndRemainder(dividingBy: it.blockCount)
            let column = block * VectorProductStep.block
            let count = min(VectorProductStep.block, it.columns - column)
            let result = it.output + row * it.columns + column
            OpenBLAS.multiply(
                rows: count, columns: it.depth, it.weights + column * it.depth, stride: it.depth,
                it.input + row * it.depth, into: result)
            apus_add_bias_and_activate(result, 1, count, it.columns, it.bias.map { $0 + column }, nil, 0, it.activation)
        }
    }
}
