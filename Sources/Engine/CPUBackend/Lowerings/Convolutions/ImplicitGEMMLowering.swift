import CPUKernels
import Graphs
import Planning
import Tensors

/// Runs any 2-D convolution as a product whose rows are addressed in the input: patches are copied only at edges.
struct ImplicitGEMMLowering: Lowering {
    let kernel: GEMMKernel

    var name: String { "implicit-gemm" + kernel.suffix }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        if let refusal = kernel.refusal(request) { return .decline(refusal) }
        let operation = convolution.operation
        let columns = convolution.weights.shape[0] / operation.group
        let words = kernel.words(convolution.weights.shape[1])
        // Columns that fill no vector are wasted work; with short segments, row addresses are used only briefly.
        let lanes = kernel.tileColumns
        let filling = Double(columns) / Double((columns + lanes - 1) / lanes * lanes)
        let padding = PaddedTaps(convolution.geometry)
        let efficiency = filling * min(1, Double(words) / 8) / padding.remainingWork
        let cost = Speed.microseconds(convolution, request, kernel, efficiency: efficiency)
        let taps = convolution.geometry.kernel.reduce(1, *)
        let pixels = convolution.geometry.output.reduce(1, *)
        let pixelsPerRow = PackedProductPartition.pixelsPerRow(
            input: convolution.input.shape[2] * convolution.input.shape[3], output: pixels, taps: taps)
        let tiling = PackedProductPartition(
            rows: convolution.output.shape[0] * pixels, columns: columns,
            depth: taps * kernel.weightWords(convolution.weights.shape[1]),
            rowByteCount: pixelsPerRow * words * MemoryLayout<Float>.stride,
            cachedRowByteCount: pixelsPerRow * kernel.chainByteCount(words),
            segmentCount: taps, tileRows: kernel.tileRows, panelColumns: kernel.panelColumns,
            threads: request.threadCount)
        let needsSums = kernel.needsSums(depth: taps * words)
        let scratch = PatchRows.scratch(
            convolution, kernel, pixels: tiling.maximumRowsPerBlock,
            sumColumns: needsSums ? tiling.maximumColumnsPerPiece : 0)
        let stripScratch = PatchRows.scratch(
            convolution, kernel, pixels: tiling.maximumRowsPerBlock, sumColumns: needsSums ? columns : 0)
        let makeStep = { @Sendable (operands: StepOperands) in
            let weights = try kernel.pack(
                convolution.weights, "gemm/\(operation.group)", in: operands.packedWeights
            ) { try ConvolutionRequest.productWeights($0, group: operation.group) }
            return try ImplicitGEMMStep(
                convolution, tiling, kernel, scratch, weights: weights,
                leavesOutPadding: padding.areLeftOut
                    && convolution.weights.elements(as: Float.self).allSatisfy { kernel.rounded($0).isFinite },
                bias: kernel.pack(bias: convolution.bias, groups: operation.group, columns: columns),
                zeros: Tensor([Float](repeating: 0, count: words), shape: [words]), operands)
        }
        let rowStage = RowStage(
            RowWindow(convolution.geometry), scratchByteCount: stripScratch.byteCount,
            weightsByteCount: kernel.byteCount(ofWeights: convolution.weights), makeStep: makeStep)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                sharing: .overwriting(input: Conv.addendPosition),
                scratchByteCount: scratch.byteCount * request.threadCount,
                bfloat16Operands: kernel.bfloat16Operands(
                    wholeWords: convolution.weights.shape[1] % 2 == 0, addend: Conv.addendPosition),
                rowStage: operation.group == 1 ? rowStage : nil, makeStep: makeStep))
    }
}

private struct ImplicitGEMMStep: Step {
    fileprivate struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: ProductOutput
        let addend: ConvolutionAddend.Pixels
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>
        let zeros: UnsafePointer<Float>
        let leftOut: UnsafePointer<Float>?
        let scratch: UnsafeMutableRawPointer
        let shape: Shape
    }

    /// The parameters that are the same in every run.
    fileprivate struct Shape: BitwiseCopyable {
        let patches: PatchRows
        let rows: RowWindow
        let to: ImageView
        let groups: Int
        let paddedColumns: Int
        let tiling: PackedProductPartition
        let activation: apus_activation

        var kernel: GEMMKernel { patches.kernel }
        /// The words of a column of weights.
        var depth: Int { patches.taps * kernel.weightWords(patches.channels) }
    }

    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let addend: ConvolutionAddend
    private let weights: Tensor
    private let bias: Tensor
    private let zeros: Tensor
    private let leavesOutPadding: Bool
    private let shape: Shape

    init(
        _ convolution: ConvolutionRequest, _ tiling: PackedProductPartition, _ kernel: GEMMKernel, _ parts: RowScratch,
        weights: Tensor, leavesOutPadding: Bool, bias: Tensor, zeros: Tensor, _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        addend = try ConvolutionAddend(operands)
        self.weights = weights
        self.bias = bias
        self.zeros = zeros
        self.leavesOutPadding = leavesOutPadding
        let isBFloat16 = input.elementType == .bfloat16
        let from = isBFloat16 ? ImageView(input).inWords : ImageView(input)
        let to = ImageView(output)
        let group = convolution.operation.group
        shape = Shape(
            patches: PatchRows(
                patches: apus_patches(
                    window: apus_window(convolution.geometry, over: from), image_stride: from.imageStride,
                    image_pixel_count: to.pixelCount, order: APUS_PATCH_TAPS),
                kernel: kernel, channels: convolution.weights.shape[1], isRounded: isBFloat16, scratch: parts),
            rows: RowWindow(convolution.geometry), to: to, groups: group,
            paddedColumns: kernel.paddedColumns(tiling.columnCount),
            tiling: tiling, activation: apus_activation(convolution.operation.activation))
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input),
            output: ProductOutput(context.memory.mutableAddress(output), output, stride: shape.to.pixelStride),
            addend: addend.pixels(context),
            weights: weights.floats, bias: bias.floats, zeros: zeros.floats,
            leftOut: leavesOutPadding ? zeros.floats : nil,
            scratch: context.memory.mutableAddress(scratch), shape: shape)
        context.workers.run(shape.groups * shape.tiling.pieceCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let (group, number) = index.quotientAndRemainder(dividingBy: it.shape.tiling.pieceCount)
            it.runPiece(it.shape.tiling.piece(number), group: group, worker)
        }
    }
}

extension ImplicitGEMMStep.Arguments {
    /// Computes some pixels of some columns of a group.
    fileprivate func runPiece(_ piece: PackedProductPartition.Piece, group: Int, _ worker: Int) {
        let (rows, to) = (shape.patches, shape.to)
        let memory = scratch + worker * rows.scratch.byteCount
        let column = group * shape.tiling.columnCount + piece.firstColumn
        let padded = group * shape.paddedColumns + piece.firstColumn
        let end = piece.firstRow + piece.rowCount
        var pixel = piece.firstRow
        while pixel < end {
            let count = rows.find(
                pixel, count: end - pixel, input: input + group * rows.elementsPerGroup, zeros: zeros, memory)
            let sums = rows.scratch.sums(memory)
            var block = apus_gemm_block(
                rows: UnsafePointer(rows.scratch.addresses(memory)), zeros: leftOut, rowCount: count,
                segmentCount: rows.taps, segmentLength: rows.words, weights: weights + padded * shape.depth,
                bias: bias + padded, columnCount: piece.columnCount, output: sums,
                activation: shape.activation)
            addend.place(&block, image: 0, pixel: pixel, channel: column)
            output.place(&block, at: pixel * to.pixelStride + column, sums: sums)
            shape.kernel.multiply(&block)
            pixel += count
        }
    }
}

extension ImplicitGEMMStep: RowStep {
    func run(_ strip: Strip, _ context: StepContext) {
        let (to, tiling) = (shape.to, shape.tiling)
        let addend = addend.pixels(context)
        var rows = shape.patches
        rows.patches.window = rows.patches.window.over(strip, shape.rows)
        let pixels = strip.rows.count * to.width
        rows.patches.image_pixel_count = pixels
        rows.patches.image_stride = rows.patches.window.input_height * rows.patches.window.input_row_stride
        let output = ProductOutput(strip.output, output, stride: to.pixelStride)
        let sums = rows.scratch.sums(strip.scratch)
        var pixel = 0
        while pixel < pixels {
            let count = rows.find(
                pixel, count: min(tiling.maximumRowsPerBlock, pixels - pixel), input: strip.inputFloats,
                zeros: zeros.floats, strip.scratch)
            var block = apus_gemm_block(
                rows: UnsafePointer(rows.scratch.addresses(strip.scratch)),
                zeros: leavesOutPadding ? zeros.floats : nil, rowCount: count,
                segmentCount: rows.taps, segmentLength: rows.words,
                weights: weights.floats, bias: bias.floats, columnCount: tiling.columnCount, output: sums,
                activation: shape.activation)
            addend.place(&block, image: strip.image, pixel: strip.rows.lowerBound * to.width + pixel)
            output.place(&block, at: pixel * to.pixelStride, sums: sums)
            shape.kernel.multiply(&block)
            pixel += count
        }
    }
}
