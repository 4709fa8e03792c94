import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers as a product of patches with packed weights. Some input rows are widened at a time,
/// and patches are runs of them.
struct IntegerGEMMLowering: Lowering {
    let name = "integer-gemm"
    let instructionSet: InstructionSet

    /// Input that stays in the first caches while all panels pass.
    private static let usualScratchByteCount = 96 << 10
    private static let mostScratchElements = 1 << 30

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: IntegerConvolutionRequest
        do { convolution = try IntegerConvolutionRequest(request) } catch { return .decline(error.reason) }
        let operation = convolution.operation
        guard operation.convolution.group == 1 else { return .decline("\(operation.convolution.group) groups") }
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(
                convolution.weights.elementType, zeroPoint: operation.weightZeroPoint))
        let columns = convolution.weights.shape[0]
        let depth = convolution.weights.shape[1...].reduce(1, *)
        let pixels = convolution.geometry.output.reduce(1, *)
        let inputPixels = convolution.input.shape[2] * convolution.input.shape[3]
        let tileRows = kernel.kernel.tile_rows
        let window = convolution.geometry
        let runCount = window.kernel[0] * (window.dilations[1] == 1 ? 1 : window.kernel[1])
        let words = runCount * kernel.words(depth / runCount)
        let line = [
            window.output[1] + window.kernel[1], window.strides[1], window.dilations[1], convolution.input.shape[1],
        ]
        guard (line + [window.kernel[0], window.dilations[0]]).saturatingProduct <= Self.mostScratchElements else {
            return .decline("rows do not fit in scratch memory")
        }
        var rows = apus_window(window, shape: convolution.input.shape)
        let least = kernel.kernel.convolution_scratch(&rows, convolution.input.shape[1])
        let scratchByteCount = max(Self.usualScratchByteCount, (least + 63) / 64 * 64)
        let tiling = ProductTiling(
            rows: convolution.output.shape[0] * pixels, columns: columns, depth: words,
            rowByteCount: (inputPixels + pixels - 1) / pixels * convolution.weights.shape[1], segmentCount: 1,
            tileRows: tileRows, panelColumns: kernel.kernel.panel_columns, threads: request.threadCount)
        let images = convolution.output.shape[0]
        let rate = kernel.multiplyAddsPerMicrosecond * Double(request.threadCount)
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    perImage: Double(request.cost.multiplyAdds) / Double(images) / rate,
                    weightByteCount: convolution.weights.byteCount, images: images),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                scratchByteCount: scratchByteCount * request.threadCount
            ) { operands in
                try IntegerGEMMStep(
                    convolution, tiling, kernel, runCount: runCount, scratchByteCount: scratchByteCount, operands)
            })
    }
}

private struct IntegerGEMMStep: Step {
    private struct Arguments: BitwiseCopyable {
        /// The whole of the product.
        let whole: apus_integer_convolution
        let tiling: ProductTiling
        let panelByteStride: Int
        let convolve: @convention(c) (UnsafePointer<apus_integer_convolution>) -> Void
    }

    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let weights: Tensor
    private let bias: Tensor
    private let requantization: IntegerRequantization
    private let convolution: IntegerConvolutionRequest
    private let tiling: ProductTiling
    private let kernel: IntegerKernel
    private let panelByteStride: Int
    private let scratchByteCount: Int

    init(
        _ convolution: IntegerConvolutionRequest, _ tiling: ProductTiling, _ kernel: IntegerKernel,
        runCount: Int,
        scratchByteCount: Int, _ operands: StepOperands
    ) throws {
        let operation = convolution.operation
        let columns = convolution.weights.shape[0]
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        weights = try kernel.pack(
            convolution.weights, runCount: runCount, zeroPoint: operation.weightZeroPoint,
            in: operands.packedWeights)
        let values = kernel.bias(
            convolution.bias, packed: weights, columns: columns, zeroPoint: operation.inputZeroPoint,
            isSigned: convolution.input.elementType == .int8)
        bias = try Tensor(values, shape: [values.count])
        requantization = try IntegerRequantization(
            operation.requantization, columns: columns, paddedTo: kernel.paddedColumns(columns))
        self.convolution = convolution
        self.tiling = tiling
        self.kernel = kernel
        self.scratchByteCount = scratchByteCount
        panelByteStride =
            runCount * kernel.words(convolution.weights.shape[1...].reduce(1, *) / runCount)
            * MemoryLayout<Int32>.stride
    }

    func run(_ context: StepContext) {
        let (from, to) = (ImageView(input), ImageView(output))
        let whole = apus_integer_convolution(
            window: apus_window(convolution.geometry, over: from), input: context.bytes(input),
            image_stride: from.imageStride, image_pixel_count: to.pixelCount, channel_count: from.channels,
            is_signed: input.elementType == .int8 ? 1 : 0, zero_point: convolution.operation.inputZeroPoint,
            weights: weights.firstElement.assumingMemoryBound(to: UInt8.self),
            bias: bias.firstElement.assumingMemoryBound(to: Int32.self), column_count: tiling.columnCount,
            first_pixel: 0, pixel_count: tiling.rowCount, requantization: requantization.cValue,
            output: context.mutableBytes(output), output_stride: to.pixelStride,
            scratch: context.memory.mutableAddress(scratch), scratch_byte_count: scratchByteCount)
        let arguments = Arguments(
            whole: whole, tiling: tiling, panelByteStride: panelByteStride,
            convolve: kernel.kernel.convolve)
        context.workers.run(tiling.pieceCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let piece = it.tiling.piece(index)
            var part = it.whole
            part.weights += piece.firstColumn * it.panelByteStride
            part.bias += piece.firstColumn
            part.requantization = it.whole.requantization.from(piece.firstColumn)
            part.column_count = piece.columnCount
            part.first_pixel = piece.firstRow
            part.pixel_count = piece.rowCount
            part.output += piece.firstRow * it.whole.output_stride + piece.firstColumn
            part.scratch += worker * it.whole.scratch_byte_count
            it.convolve(&part)
        }
    }
}
