import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers as a product of patches, some widened at a time, with packed weights.
struct IntegerGEMMLowering: Lowering {
    let name = "integer-gemm"
    let instructionSet: InstructionSet

    /// Patches that stay in the first caches while all panels pass; of long patches more, so that panels are read seldom.
    private static let scratchByteCount = 96 << 10
    private static let mostScratchByteCount = 384 << 10
    private static let leastRowCount = 48

    /// The memory of one thread: the patches, and what the kernel may write behind the last.
    fileprivate static func byteCount(_ rows: Int, _ rowByteCount: Int) -> Int { rows * rowByteCount + 64 }

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
        let tiling = ProductTiling(
            rows: convolution.output.shape[0] * pixels, columns: columns, depth: kernel.words(depth),
            rowByteCount: (inputPixels + pixels - 1) / pixels * convolution.weights.shape[1], segmentCount: 1,
            tileRows: tileRows, panelColumns: kernel.kernel.panel_columns, threads: request.threadCount)
        let rowByteCount = kernel.words(depth) * MemoryLayout<Int32>.stride
        let fitting = max(
            Self.scratchByteCount / rowByteCount, min(Self.leastRowCount, Self.mostScratchByteCount / rowByteCount))
        let rows = max(tileRows, min(fitting, tiling.mostRowsPerBlock + tileRows - 1) / tileRows * tileRows)
        let images = convolution.output.shape[0]
        let rate = kernel.multiplyAddsPerMicrosecond * Double(request.threadCount)
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    perImage: Double(request.cost.multiplyAdds) / Double(images) / rate,
                    weightByteCount: convolution.weights.byteCount, images: images),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                scratchByteCount: Self.byteCount(rows, rowByteCount) * request.threadCount
            ) { operands in
                try IntegerGEMMStep(convolution, tiling, kernel, rows: rows, rowByteCount: rowByteCount, operands)
            })
    }
}

private struct IntegerGEMMStep: Step {
    private struct Arguments: BitwiseCopyable {
        /// The whole of the product.
        let whole: apus_integer_convolution
        let tiling: ProductTiling
        let panelByteStride: Int
        let scratchByteCount: Int
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
    private let rows: Int
    private let rowByteCount: Int

    init(
        _ convolution: IntegerConvolutionRequest, _ tiling: ProductTiling, _ kernel: IntegerKernel, rows: Int,
        rowByteCount: Int, _ operands: StepOperands
    ) throws {
        let operation = convolution.operation
        let columns = convolution.weights.shape[0]
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        weights = try kernel.pack(
            convolution.weights, zeroPoint: operation.weightZeroPoint, in: operands.packedWeights)
        let values = try kernel.bias(
            convolution.bias, packed: weights, columns: columns,
            depth: convolution.weights.shape[1...].reduce(1, *), zeroPoint: operation.inputZeroPoint,
            isSigned: convolution.input.elementType == .int8)
        bias = try Tensor(values, shape: [values.count])
        requantization = try IntegerRequantization(
            operation.requantization, columns: columns, paddedTo: kernel.paddedColumns(columns))
        self.convolution = convolution
        self.tiling = tiling
        self.kernel = kernel
        self.rows = rows
        self.rowByteCount = rowByteCount
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
            scratch: context.memory.mutableAddress(scratch), scratch_row_count: rows)
        let arguments = Arguments(
            whole: whole, tiling: tiling, panelByteStride: rowByteCount,
            scratchByteCount: IntegerGEMMLowering.byteCount(rows, rowByteCount),
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
            part.scratch += worker * it.scratchByteCount
            it.convolve(&part)
        }
    }
}
