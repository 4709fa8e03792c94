import CPUKernels
import Graphs
import Planning
import Tensors

/// A 1×1 convolution as a product of the image's pixels with the weights; nothing is gathered.
struct PointwiseConvolutionLowering: Lowering {
    let name = "pointwise-gemm"
    let openBLAS: OpenBLAS

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        guard convolution.isPointwise else {
            return .decline("not a 1×1 kernel with stride 1, no padding and one group")
        }
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: 20_000, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast]
            ) { operands in
                let weights = try operands.packedWeights.tensor(convolution.weights, packing: "gemm/1") {
                    try ConvolutionRequest.productWeights($0, group: 1).contiguous()
                }
                return PointwiseConvolutionStep(
                    openBLAS: openBLAS, input: try operands.input(0), output: operands.outputs[0], weights: weights,
                    bias: try convolution.contiguousBias(), addend: try ConvolutionAddend(operands),
                    activation: apus_activation(convolution.operation.activation))
            })
    }
}

/// output[p][m] = activation(Σ input[p][c] · weights[c][m] + bias[m] + addend[p][m]) for every pixel p of every image.
private struct PointwiseConvolutionStep: Step {
    private struct Arguments: BitwiseCopyable {
        let openBLAS: OpenBLAS
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>?
        let addend: ConvolutionAddend.Pixels
        let from: ImageView
        let to: ImageView
        let tiling: ProductPartition
        let activation: apus_activation
    }

    private let openBLAS: OpenBLAS
    private let input: Operand
    private let output: Operand
    private let weights: Tensor
    private let bias: Tensor?
    private let addend: ConvolutionAddend
    private let from: ImageView
    private let to: ImageView
    private let tiling: ProductPartition
    private let activation: apus_activation

    init(
        openBLAS: OpenBLAS, input: Operand, output: Operand, weights: Tensor, bias: Tensor?, addend: ConvolutionAddend,
        activation: apus_activation
    ) {
        self.openBLAS = openBLAS
        self.input = input
        self.output = output
        self.weights = weights
        self.bias = bias
        self.addend = addend
        self.activation = activation
        from = ImageView(input)
        to = ImageView(output)
        tiling = ProductPartition(rows: to.pixelCount, columns: to.channels, depth: from.channels)
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            openBLAS: openBLAS, input: context.floats(input), output: context.mutableFloats(output),
            weights: weights.floats,
            bias: bias?.floats, addend: addend.pixels(context), from: from, to: to, tiling: tiling,
            activation: activation)
        context.workers.run(tiling.tileCount * to.count, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (image, tile) = index.quotientAndRemainder(dividingBy: it.tiling.tileCount)
            let (rowTile, columnTile) = tile.quotientAndRemainder(dividingBy: it.tiling.columnTileCount)
            let row = rowTile * it.tiling.rowsPerTile
            let column = columnTile * it.tiling.columnsPerTile
            let rows = min(it.tiling.rowsPerTile, it.to.pixelCount - row)
            let columns = min(it.tiling.columnsPerTile, it.to.channels - column)
            let result = it.output + image * it.to.imageStride + row * it.to.pixelStride + column
            it.openBLAS.multiply(
                rows: rows, columns: columns, depth: it.from.channels,
                it.input + image * it.from.imageStride + row * it.from.pixelStride, aStride: it.from.pixelStride,
                it.weights + column, bStride: it.to.channels, into: result, cStride: it.to.pixelStride)
            apus_add_bias_and_activate(
                result, rows, columns, it.to.pixelStride, it.bias.map { $0 + column },
                it.addend.address(image: image, pixel: row, channel: column), it.addend.pixelStride, it.activation)
        }
    }
}

extension Tensor {
    /// The address of the first element of a float32 tensor that the caller keeps alive.
    var floats: UnsafePointer<Float> { UnsafePointer(firstElement.assumingMemoryBound(to: Float.self)) }
}
