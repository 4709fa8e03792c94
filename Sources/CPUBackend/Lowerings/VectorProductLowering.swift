import CPUKernels
import Graphs
import Planning
import Tensors

/// Gemm and MatMul with weights that are part of the network, one row of the input at a time, since a row is an image.
struct VectorProductLowering: Lowering {
    let name = "gemv-rows"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let product: WeightedProduct
        switch WeightedProduct.read(request) {
        case .failure(let refusal): return .decline(refusal.reason)
        case .success(let value): product = value
        }
        guard !product.hasAddend else { return .decline("has an addend") }
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
        context.workers.run(output.elementCount / columns * blockCount, arguments) { context, index, _ in
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
