import CPUKernels
import Graphs
import Planning
import Tensors

/// Any 2-D convolution as products of gathered patches with the weights, one tile of output pixels at a time.
struct GatheredConvolutionLowering: Lowering {
    let name = "tiled-im2col-gemm"
    let openBLAS: OpenBLAS

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        let group = convolution.operation.group
        // A product with few columns, or little depth, runs at a fraction of the speed of a large one.
        let columns = convolution.weights.shape[0] / group
        let depth = convolution.weights.shape[1...].reduce(1, *)
        let efficiency = min(1, Double(columns) / 32) * min(1, Double(depth) / 32)
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: 18_000 * max(efficiency, 0.02), threads: request.threadCount)
        let tile = GatheredConvolutionStep.tileElementCount(convolution)
        // The first layer's picture is gathered from its planes: copying it into another layout first would take
        // longer.
        let isPlanar = request.inputLayouts[0] == .rowMajor && convolution.input.shape[1] <= 4
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(image: isPlanar ? .rowMajor : .channelsLast),
                outputLayouts: [.channelsLast], readsSlices: !isPlanar,
                scratchByteCount: tile * MemoryLayout<Float>.stride * request.threadCount
            ) { operands in
                let packing = "gemm/\(group)\(isPlanar ? "/planar" : "")"
                let weights = try operands.packedWeights.tensor(convolution.weights, packing: packing) {
                    try ConvolutionRequest.productWeights($0, group: group, isPlanar: isPlanar).contiguous()
                }
                return GatheredConvolutionStep(
                    convolution, openBLAS, isPlanar: isPlanar, input: try operands.input(0),
                    output: operands.outputs[0],
                    scratch: operands.scratch, weights: weights, bias: try convolution.contiguousBias(),
                    addend: try ConvolutionAddend(operands))
            })
    }
}

private struct GatheredConvolutionStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>?
        let addend: ConvolutionAddend.Pixels
        let scratch: UnsafeMutablePointer<Float>
        let shape: Shape
    }

    /// The parameters that are the same in every run.
    private struct Shape: BitwiseCopyable {
        let openBLAS: OpenBLAS
        let from: ImageView
        let to: ImageView
        var window: apus_window
        /// Elements between the input's planes; nil when it is channels-last.
        let planeStride: Int?
        let group: Int
        /// The input channels, output channels and patch length of one group.
        let channels: Int
        let columns: Int
        let depth: Int
        let tiling: ProductPartition
        let tileElementCount: Int
        let activation: apus_activation
    }

    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let weights: Tensor
    private let bias: Tensor?
    private let addend: ConvolutionAddend
    private let shape: Shape

    init(
        _ convolution: ConvolutionRequest, _ openBLAS: OpenBLAS, isPlanar: Bool, input: Operand, output: Operand,
        scratch: Operand,
        weights: Tensor, bias: Tensor?, addend: ConvolutionAddend
    ) {
        self.input = input
        self.output = output
        self.scratch = scratch
        self.weights = weights
        self.bias = bias
        self.addend = addend
        let from = isPlanar ? ImageView(planes: input) : ImageView(input)
        let group = convolution.operation.group
        shape = Shape(
            openBLAS: openBLAS, from: from, to: ImageView(output),
            window: apus_window(convolution.geometry, over: from),
            planeStride: isPlanar ? from.pixelCount : nil, group: group,
            channels: from.channels / group, columns: output.shape[1] / group,
            depth: convolution.weights.shape[1...].reduce(1, *), tiling: Self.tiling(convolution),
            tileElementCount: Self.tileElementCount(convolution),
            activation: apus_activation(convolution.operation.activation))
    }

    private static func tiling(_ convolution: ConvolutionRequest) -> ProductPartition {
        ProductPartition(
            rows: convolution.geometry.output.reduce(1, *),
            columns: convolution.weights.shape[0] / convolution.operation.group,
            depth: convolution.weights.shape[1...].reduce(1, *))
    }

    /// The number of floats that one thread gathers at a time.
    static func tileElementCount(_ convolution: ConvolutionRequest) -> Int {
        (tiling(convolution).rowsPerTile * convolution.weights.shape[1...].reduce(1, *) + 15) / 16 * 16
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), weights: weights.floats,
            bias: bias?.floats, addend: addend.pixels(context), scratch: context.mutableFloats(scratch), shape: shape)
        let pieces = shape.to.count * shape.group * shape.tiling.tileCount
        context.workers.run(pieces, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            var shape = it.shape
            let (outer, tile) = index.quotientAndRemainder(dividingBy: shape.tiling.tileCount)
            let (number, group) = outer.quotientAndRemainder(dividingBy: shape.group)
            let (rowTile, columnTile) = tile.quotientAndRemainder(dividingBy: shape.tiling.columnTileCount)
            let row = rowTile * shape.tiling.rowsPerTile
            let column = columnTile * shape.tiling.columnsPerTile
            let rows = min(shape.tiling.rowsPerTile, shape.to.pixelCount - row)
            let columns = min(shape.tiling.columnsPerTile, shape.columns - column)
            let patches = it.scratch + worker * shape.tileElementCount
            let image = it.input + number * shape.from.imageStride
            if let planeStride = shape.planeStride {
                apus_gather_planar_patches(
                    image + group * shape.channels * planeStride, planeStride, &shape.window, shape.channels, row, rows,
                    patches)
            } else {
                apus_gather_patches(
                    image + group * shape.channels, &shape.window, shape.channels, row, rows, patches)
            }
            let outputChannel = group * shape.columns + column
            let result = it.output + number * shape.to.imageStride + row * shape.to.pixelStride + outputChannel
            it.shape.openBLAS.multiply(
                rows: rows, columns: columns, depth: shape.depth, patches, aStride: shape.depth,
                it.weights + group * shape.depth * shape.columns + column, bStride: shape.columns, into: result,
                cStride: shape.to.pixelStride)
            apus_add_bias_and_activate(
                result, rows, columns, shape.to.pixelStride, it.bias.map { $0 + outputChannel },
                it.addend.address(image: number, pixel: row, channel: outputChannel), it.addend.pixelStride,
                shape.activation)
        }
    }
}
